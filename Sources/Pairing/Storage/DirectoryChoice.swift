/// Where a directory of hubpair's is, and who has said so.
package struct DirectoryChoice: Equatable, Sendable {
    package enum Origin: Equatable, Sendable {
        /// An option of the command.
        case option
        /// A variable of hubpair's own in the environment.
        case environment
        /// Nobody: it is where such a directory belongs.
        case standard
    }

    package let path: String
    package let origin: Origin

    /// The first of: `option`, `variable`, `system`, `hubpair` in `base`, `hubpair` in `inHome`.
    ///
    /// - Parameters:
    ///   - option: what the command line names.
    ///   - variable: the name of hubpair's own variable; an empty value counts as none.
    ///   - system: the directory of a user for whom no other counts.
    ///   - base: the name of a variable of the XDG Base Directory Specification, which asks to ignore
    ///     relative values.
    ///   - inHome: the directory that stands for `base` where it is not set, relative to `home`.
    package init(
        option: String?, variable: String, system: String? = nil, base: String, inHome: String,
        environment: [String: String], home: String
    ) {
        if let option {
            (path, origin) = (option, .option)
        } else if let value = environment[variable], !value.isEmpty {
            (path, origin) = (value, .environment)
        } else if let system {
            (path, origin) = (system, .standard)
        } else if let value = environment[base], value.hasPrefix("/") {
            (path, origin) = (value + "/hubpair", .standard)
        } else {
            (path, origin) = ("\(home)/\(inHome)/hubpair", .standard)
        }
    }
}
