import CGlibc
import FoundationEssentials
import Glibc
import Identity

/// Whether the wall clock is sane: codes expire by it over a restart, and so do labels.
enum CheckClock {
    static func check(directory: String) -> DiagnosisCheck {
        DiagnosisCheck("clock", tried: "compared the clock with the hub's files, asked the kernel") {
            verdict(now: Date(), newest: newest(in: directory), isSynchronised: isSynchronised())
        }
    }

    /// - Parameters:
    ///   - newest: when the newest file was written; nil if there is none.
    ///   - isSynchronised: what the kernel says; nil: nothing.
    static func verdict(now: Date, newest: Date?, isSynchronised: Bool?) -> Finding.Verdict {
        let time = LocalTime(now).textWithZone
        let mend = "sudo timedatectl set-ntp true, or set it: sudo date -s 'YYYY-MM-DD HH:MM'"
        // 2026-01-01: hubpair is younger.
        guard now >= Date(timeIntervalSince1970: 1_767_225_600) else {
            return .problem("it says \(time), which is long ago", mend: mend)
        }
        if let newest, newest.timeIntervalSince(now) > 120 {
            return .problem(
                "it says \(time), but a file is from \(LocalTime(newest).textWithZone)", mend: mend)
        }
        guard isSynchronised != false else {
            return .warning("it says \(time), and nothing keeps it right (no NTP)", mend: mend)
        }
        return .ok("it says \(time)")
    }

    private static func newest(in directory: String) -> Date? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.prefix(64).compactMap { name in
            var status = stat()
            guard lstat("\(directory)/\(name)", &status) == 0 else { return nil }
            return Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec))
        }.max()
    }

    private static func isSynchronised() -> Bool? {
        var time = timex()  // modes is 0: nothing is set
        let state = adjtimex(&time)
        guard state >= 0 else { return nil }
        return state != 5 && time.status & 0x40 == 0  // TIME_ERROR, STA_UNSYNC
    }
}
