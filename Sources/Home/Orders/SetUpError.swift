package import Identity
import JSON

/// The server has tried to set up an appliance, and failed. It tells the name of its exception, and no more.
package struct SetUpError: Error, Equatable {
    /// What the server said.
    package let exception: String

    /// Nil if `error` is another refusal than of the set-up itself.
    package init?(_ error: ServerError) {
        guard case .refused(let status, "ServerException", let details, _) = error, status >= 500,
            case .string(let exception) = details["exception"]
        else { return nil }
        self.exception = exception
    }

    private enum Cause {
        case button, unreachable, answer, other
    }

    private var cause: Cause {
        let words = exception.lowercased()
        let isOne = { (parts: [String]) in parts.contains { words.contains($0) } }
        // Philips Hue: phue.PhueRegistrationException, error 101 of the bridge.
        if isOne(["registration", "linkbutton"]) { return .button }
        if isOne(["connect", "timeout", "unreachable", "oserror", "gaierror"]) { return .unreachable }
        return isOne(["keyerror", "valueerror", "typeerror"]) ? .answer : .other
    }
}

extension SetUpError: UserError {
    package var description: String {
        let words =
            switch cause {
            case .button: "its bridge wants its button pressed"
            case .unreachable: "the appliance does not answer it"
            case .answer: "an answer is missing, or not as its plugin wants it"
            case .other: "its plugin has failed"
            }
        return "the hub could not set it up: \(words) (\(shortened(exception)))"
    }

    package var kind: UserErrorKind { .unavailable }

    package var hint: String? {
        switch cause {
        case .button: "press it, and add the appliance again within half a minute"
        case .unreachable:
            "is it switched on, and its address right? the hub must reach it, not this computer"
        case .answer: "'hubpair home add' without --info asks for each"
        case .other: "on the hub: its own log tells more"
        }
    }
}
