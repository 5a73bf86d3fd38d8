import Glibc
import Pairing

/// The place of this computer's files.
package struct DeviceConfiguration: Sendable {
    /// The configuration directory's path.
    package let path: String
    /// Is told, in one sentence, what has changed in them without a command.
    package var tell: @Sendable (String) -> Void = { _ in }

    /// The first of: `option`, `$HUBPAIR_CONFIG`, `$XDG_CONFIG_HOME/hubpair`, `~/.config/hubpair`.
    package init(option: String?, environment: [String: String], home: String) {
        path =
            DirectoryChoice(
                option: option, variable: "HUBPAIR_CONFIG", base: "XDG_CONFIG_HOME", inHome: ".config",
                environment: environment, home: home
            ).path
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
