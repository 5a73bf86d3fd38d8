import Glibc

/// The place of this computer's files.
package struct DeviceConfiguration: Sendable {
    /// The configuration directory's path.
    package let path: String

    /// The first of: `option`, `$HUBPAIR_CONFIG`, `$XDG_CONFIG_HOME/hubpair`, `~/.config/hubpair`. Relative
    /// values of `XDG_CONFIG_HOME` are ignored, as the XDG Base Directory Specification asks.
    package init(option: String?, environment: [String: String], home: String) {
        path =
            if let option {
                option
            } else if let variable = environment["HUBPAIR_CONFIG"], !variable.isEmpty {
                variable
            } else if let base = environment["XDG_CONFIG_HOME"], base.hasPrefix("/") {
                base + "/hubpair"
            } else {
                home + "/.config/hubpair"
            }
    }

    /// The same, with the user's home: `$HOME`, else what the user database says.
    package init(option: String?, environment: [String: String]) {
        self.init(option: option, environment: environment, home: userHome(environment))
    }
}

/// The user's home: `$HOME`, else what the user database says.
package func userHome(_ environment: [String: String]) -> String {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    return getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
}
