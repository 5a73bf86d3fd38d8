import ArgumentParser
import HubService
import Pairing

/// `hubpair print`, as a plain value: what the codes are for, and where they go.
struct PrintCodes: Equatable {
    /// The longest that a code for one device lives without being asked for twice: 90 days.
    private static let longest = Duration.seconds(90 * 86_400)

    var kind = PairingCode.Kind.once
    var expires: Duration?
    var role: Role?
    /// How long the device may come in; nil if nothing was said.
    var stay: ApprovalEnd?
    /// It may live longer than 90 days.
    var isConfirmed = false
    /// It is to be good from outside, too.
    var isForAway = false
    var form = CodeForm()
    var json = false
    /// What `--state` names.
    var statePath: String?

    /// Seconds; nil for a label that stays valid.
    var lifetime: Double? {
        expires?.inSeconds ?? (kind == .label ? nil : CodePresentation.defaultLifetime)
    }

    var presentation: CodePresentation {
        CodePresentation(form: form, json: json, stay: stay ?? .unsaid, isForAway: isForAway)
    }

    /// Guests go again: a code for one says when, and is asked at a terminal.
    private var lacksStay: Bool { kind == .once && role == .guest && stay == nil }

    /// With the answer to what is open.
    func completed() throws -> PrintCodes {
        guard lacksStay else { return self }
        var line = self
        line.stay = try Question.ask(StayOption.question) { text throws in
            guard let stay = ApprovalEnd(stay: text) else { throw StayFault() }
            return stay
        }
        return line
    }

    /// Makes a code of this machine's hub.
    func run() throws {
        let state = StateOption.state(at: statePath)
        var line = self
        let way = isForAway && form.address == .automatic ? try AwayAddress(of: state) : nil
        if let way { line.form.address = way.choice }
        try line.presentation.present(kind, lifetime: lifetime, role: role, state: state)
        if let way {
            Console.note("hint: on the device, away from home: hubpair pair CODE --hub \(way.address)")
        }
    }

    /// - Throws: `ValidationError`: what does not go together, the form's options aside.
    func check() throws {
        guard kind == .label || isConfirmed || expires ?? .zero <= PrintCodes.longest else {
            throw ValidationError(
                "a code for one device that lives longer than 90 days needs --yes. Give a shorter time, or "
                    + "--yes: anybody who finds the code until then is let in")
        }
        guard !json || form.outputPath != nil else {
            throw ValidationError("--json describes the code that a file holds. Add -o code.png")
        }
        guard kind != .label || !isForAway else {
            throw ValidationError(
                "a label is for who stands in front of the hub. Make a code for one device, without --label")
        }
        guard kind != .label || role == nil else {
            throw ValidationError(
                "a label lets nobody in by itself, so it has no role. "
                    + "Say the role when you approve: hubpair devices approve DEVICE --role guest")
        }
        guard kind != .label || stay == nil else {
            throw ValidationError(
                "a label lets nobody in by itself, so it has no --stay. "
                    + "Say it when you approve: hubpair devices approve DEVICE --stay 2d")
        }
        guard !lacksStay || Question.canBeAnswered else {
            throw ValidationError(
                "how long may the guest come in? --expires is the code's own life. "
                    + "Add --stay 2d, or --stay forever")
        }
        guard kind != .label || !form.plain else {
            throw ValidationError(
                "a label has no typed code to spell. Make a code for one device, without --label, "
                    + "or draw the label into a file with --output label.pdf")
        }
    }
}
