#if os(Linux)
import Glibc

/// A program of the same installation, like `hubpair-picture`.
package enum SiblingProgram {
    /// The path of the program `name`: beside this program, as in a build; else where the package has it, in
    /// `../libexec/hubpair`. Nil if neither is a file that may be run.
    ///
    /// Never by `PATH` or another variable: whoever sets these could put another program in its place.
    package static func path(of name: String) -> String? {
        guard let folder = ownFolder else { return nil }
        return ["\(folder)/\(name)", "\(folder)/../libexec/hubpair/\(name)"].first { access($0, X_OK) == 0 }
    }

    /// The folder of the file that this process runs, links followed; nil if its name is not UTF-8.
    private static var ownFolder: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink("/proc/self/exe", &path, Int(PATH_MAX))
        guard count > 0, let end = path[..<count].lastIndex(of: CChar(UInt8(ascii: "/"))) else { return nil }
        return String(validating: path[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
#endif
