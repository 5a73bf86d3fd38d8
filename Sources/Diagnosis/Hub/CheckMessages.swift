import FoundationEssentials
import HubService
import Identity

/// The database of messages, states and their history, and the hook that messages are handed to.
enum CheckMessages {
    static func check(_ state: HubState) -> DiagnosisCheck {
        DiagnosisCheck(
            "hub-messages", tried: "checked the database of messages and states, and the hook's failures",
            deadline: .seconds(10)
        ) {
            verdict(try MessageReview.ask(state), at: Date())
        }
    }

    /// - Parameter review: nil: there is no database yet.
    static func verdict(_ review: MessageReview?, at now: Date) -> Finding.Verdict {
        guard let review else { return .ok("there are none yet") }
        if let fault = review.fault {
            return .problem(
                fault,
                mend: "restart the hub: it puts the file aside and begins a new one; 'hubpair hub restore "
                    + "--replace BACKUP' brings back what a backup has")
        }
        if let first = review.hookFaults.first {
            let more = review.hookFaults.count > 1 ? " (told \(review.hookFaults.count) times in 7 days)" : ""
            return .warning(
                first + more, mend: "run the program by hand, with a line of JSON on its standard input")
        }
        if let path = review.brokenPath {
            return .warning(
                "a broken database was put aside as \(path)",
                mend: "restore a backup if you need what was in it, and remove the file")
        }
        return .ok(words(review, at: now))
    }

    private static func words(_ review: MessageReview, at now: Date) -> String {
        func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
        var words = count(review.messageCount, "message")
        if let last = review.lastMessage { words += ", the last \(LocalTime(last).text(seenAt: now))" }
        if review.openAlarmCount > 0 { words += ", " + count(review.openAlarmCount, "open alarm") }
        let size = review.byteCount >> 10
        return words + ", " + count(review.changeCount, "change") + " of states, "
            + (size < 10_240 ? "\(size) KiB" : "\(size >> 10) MiB")
    }
}
