import Glibc
package import QRCodes

/// The images that the user names; a directory stands for the images in it.
package enum ImageFiles {
    /// A file to read, or why the name does not lead to one.
    package struct Name: Equatable, Sendable {
        package let path: String
        package let problem: InputFileError?
    }

    /// The endings of the names of image files, in lower case.
    private static let extensions = Set(ImageFormat.allCases.flatMap(\.endings))

    /// Replaces each directory by the regular files in it, and links to such, whose names end like an
    /// image's, in the order of their bytes. Directories inside and hidden files are left out. Other paths
    /// stay.
    package static func expand(_ paths: [String]) -> [Name] {
        paths.flatMap { path in isDirectory(path) ? list(path) : [Name(path: path, problem: nil)] }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return path != "-" && stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func list(_ directory: String) -> [Name] {
        guard let stream = opendir(directory) else {
            return [Name(path: directory, problem: InputFileError(openErrno: errno))]
        }
        defer { closedir(stream) }
        var names: [Name] = []
        while let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            guard bytes.first != UInt8(ascii: "."), let dot = name.lastIndex(of: "."),
                extensions.contains(name[name.index(after: dot)...].lowercased())
            else { continue }
            let path = directory + (directory.hasSuffix("/") ? "" : "/") + name
            guard name.utf8.elementsEqual(bytes) else {
                names.append(Name(path: path, problem: .nameNotUTF8))
                continue
            }
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            names.append(Name(path: path, problem: nil))
        }
        if names.isEmpty { return [Name(path: directory, problem: .noImages)] }
        return names.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
}
