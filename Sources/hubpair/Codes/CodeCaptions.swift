import FoundationEssentials
import HubService
import Pairing

/// The lines beside a code on a terminal: the hub, what the code is for, its typed form.
struct CodeCaptions {
    private let lines: [String]

    init(
        code: PairingCode, hub: HubDescription, lifetime: Double?, role: Role?, stay: ApprovalEnd = .unsaid,
        now: Date
    ) {
        var lines = [SafeText.escaped(hub.name.description), hub.id.description, ""]
        switch code.kind {
        case .once:
            lines += [role.map { "Lets one device in, as \($0.words)." } ?? "Lets one device in."]
            if let stay = stay.words(seenAt: now) { lines += ["Its stay: \(stay)."] }
            if let expires = code.expires, let lifetime {
                lines += [
                    "Valid for \(Duration(passed: lifetime).words),",
                    "until \(LocalTime(expires).text(seenAt: now)).",
                ]
            }
            let groups = TypedCode(secret: code.secret).text.split(separator: "-")
            lines += ["", "Typed instead of scanned:", "  " + groups.prefix(3).joined(separator: "-")]
            lines += ["  " + groups.dropFirst(3).joined(separator: "-")]
        case .label:
            lines += ["Lets a device ask; you approve it", "by the fingerprint that it shows."]
            if let expires = code.expires {
                lines += ["Valid until \(LocalTime(expires).text(seenAt: now))."]
            } else {
                lines += ["Valid until a new one is printed."]
            }
        }
        self.lines = lines
    }

    /// The drawing with the captions to its right where `width` columns allow it, else below. Every line has
    /// its end.
    func beside(_ drawing: [String], columns: Int, width: Int) -> String {
        let gap = 2
        let widest = lines.map(columnWidth(of:)).max() ?? 0
        guard columns + gap + widest <= width || columns + gap + 33 <= width else {
            return (drawing + [""] + lines).map { $0 + "\n" }.joined()
        }
        let room = width - columns - gap
        let top = max(0, (drawing.count - lines.count) / 2)
        return drawing.enumerated().map { index, line in
            let caption = lines.indices.contains(index - top) ? lines[index - top] : ""
            let text = cut(caption, to: room)
            return text.isEmpty ? line + "\n" : line + String(repeating: " ", count: gap) + text + "\n"
        }.joined()
    }
}
