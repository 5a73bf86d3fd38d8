import Pairing
import Testing

@Suite struct DirectoryChoiceTests {
    private func choice(
        _ option: String? = nil, system: String? = nil, in environment: [String: String] = [:]
    ) -> DirectoryChoice {
        DirectoryChoice(
            option: option, variable: "HUBPAIR_STATE", system: system, base: "XDG_STATE_HOME",
            inHome: ".local/state", environment: environment, home: "/home/anna")
    }

    @Test func theFirstThatIsSetCounts() {
        let all = ["HUBPAIR_STATE": "own", "XDG_STATE_HOME": "/xdg"]
        #expect(choice("here", system: "/var", in: all).path == "here")
        #expect(choice("here", in: all).origin == .option)
        #expect(choice(system: "/var", in: all).path == "own")
        #expect(choice(in: all).origin == .environment)
        #expect(choice(system: "/var", in: ["XDG_STATE_HOME": "/xdg"]).path == "/var")
        #expect(choice(in: ["XDG_STATE_HOME": "/xdg"]).path == "/xdg/hubpair")
        #expect(choice(in: ["XDG_STATE_HOME": "/xdg"]).origin == .standard)
        #expect(choice().path == "/home/anna/.local/state/hubpair")
    }

    /// The XDG Base Directory Specification asks to ignore relative paths.
    @Test(arguments: ["", "relative", "./x"]) func aRelativeBaseDoesNotCount(base: String) {
        let path = choice(in: ["HUBPAIR_STATE": "", "XDG_STATE_HOME": base]).path
        #expect(path == "/home/anna/.local/state/hubpair")
    }
}
