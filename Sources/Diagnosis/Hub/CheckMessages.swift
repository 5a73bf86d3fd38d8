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
            verdict(try MessageReview.ask(state), hook: hook(of: state), at: Date())
        }
    }

    /// Nil for none, and for one that cannot be run: the check of the files says why.
    private static func hook(of state: HubState) -> String? {
        guard let hook = (try? HubState.settings(in: state.open()))?.hook,
            (try? HookTrust.check(hook, user: state.hookUser)) != nil
        else { return nil }
        return hook
    }

    /// - Parameters:
    ///   - review: nil: there is no database yet.
    ///   - hook: the program that is run now. What was told of another one is over.
    static func verdict(_ review: MessageReview?, hook: String?, at now: Date) -> Finding.Verdict {
        guard let review else { return .ok("there are none yet") }
        if let fault = review.fault {
            return .problem(
                fault,
                mend: "restart the hub: it puts the file aside and begins a new one; 'hubpair hub restore "
                    + "--replace BACKUP' brings back what a backup has")
        }
        let faults = review.hookFaults.filter { fault in
            hook.map { fault.hasPrefix("the hook \($0) ") } ?? false
        }
        if let first = faults.first {
            let more = faults.count > 1 ? " (told \(faults.count) times in 7 days)" : ""
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
