import FoundationEssentials
import TestSupport
import Testing

@testable import Pairing

/// Random histories of codes, against a model that knows no files: print, take back, pair, guess, wait, set
/// the clock. What the list of codes says is what a device meets.
@Suite struct CodeHistoryTests {
    /// A code as its owner remembers it.
    private struct Code {
        let secret: TicketSecret
        let kind: PairingCode.Kind
        /// By the boot clock, in seconds; the histories have one boot. Nil for a label.
        let end: Double?
        var device: String?
        var wrong = 0
        var isVoid = false
    }

    @Test(arguments: 0..<40)
    func theListSaysWhatADeviceMeets(round: Int) throws {
        let seed = UInt64(ProcessInfo.processInfo.environment["HUBPAIR_SEED"] ?? "") ?? 20_261_122
        var random = SplitMix64(seed: seed &+ UInt64(round))
        var hub = PaperHub()
        var codes: [Code] = []
        var time = 0.0
        var wall = 0.0
        var number = 0
        for step in 0..<60 {
            let now = PaperHub.at(time, wall: wall)
            let comment: Comment = "HUBPAIR_SEED=\(seed), round \(round), step \(step)"
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1, 2:
                let lifetime = Double([1, 60, 600, 7200].randomElement(using: &random) ?? 600)
                codes.append(
                    Code(
                        secret: try hub.issue(.once, lifetime: lifetime, at: now), kind: .once,
                        end: time + lifetime))
            case 3:
                for index in codes.indices where codes[index].kind == .label { codes[index].isVoid = true }
                codes.append(
                    Code(secret: try hub.issue(.label, lifetime: nil, at: now), kind: .label, end: nil))
            case 4, 5:
                guard let index = codes.indices.randomElement(using: &random) else { break }
                hub.tickets.void([codes[index].secret.ticketID])
                if codes[index].device == nil || codes[index].kind == .label { codes[index].isVoid = true }
            case 6, 7:
                guard let index = codes.indices.randomElement(using: &random), codes[index].kind == .once
                else {
                    break
                }
                number += 1
                let device = "device \(number)"
                let code = codes[index]
                let answer = try hub.ask(code.secret, device, from: number, at: now)
                #expect((answer == "approved") == isGood(code, at: time), comment)
                if answer == "approved" { codes[index].device = device }
            case 8:
                guard let index = codes.indices.randomElement(using: &random), codes[index].kind == .once,
                    codes[index].device == nil, !codes[index].isVoid, !isForgotten(codes[index], at: time)
                else { break }
                number += 1
                _ = try hub.ask(codes[index].secret, "guesser", wrong: true, from: number, at: now)
                codes[index].wrong = min(5, codes[index].wrong + 1)
            case 9: wall += Double([-86_400, -600, 600, 86_400].randomElement(using: &random) ?? 0)
            default: time += Double([1, 30, 300, 3600, 50_000].randomElement(using: &random) ?? 1)
            }
            try compare(codes, hub, time, wall, comment)
        }
    }

    private func isGood(_ code: Code, at time: Double) -> Bool {
        !code.isVoid && code.device == nil && code.wrong < 5 && code.end.map { time < $0 } ?? true
    }

    private func isForgotten(_ code: Code, at time: Double) -> Bool {
        code.end.map { time >= $0 + 86_400 } ?? false
    }

    private func compare(
        _ codes: [Code], _ hub: PaperHub, _ time: Double, _ wall: Double, _ comment: Comment
    ) throws {
        let now = PaperHub.at(time, wall: wall)
        // What another process reads.
        let tickets = try Tickets(parsing: hub.tickets.serialized)
        #expect(tickets.tickets == hub.tickets.tickets, comment)
        let listed = tickets.tickets.filter { !$0.isForgotten(at: now) }.map {
            IssuedCode($0, in: tickets, hub.attempts, at: now, latest: nil)
        }
        let expected = codes.filter { !$0.isVoid && !isForgotten($0, at: time) }
        #expect(
            Set(listed.map(\.ticket.id)) == Set(expected.map(\.secret.ticketID)), comment)
        for code in expected {
            let row = try #require(listed.first { $0.ticket.id == code.secret.ticketID }, comment)
            let status: IssuedCode.Status =
                if code.device != nil && code.kind == .once {
                    .used
                } else if code.wrong >= 5 {
                    .void
                } else {
                    code.end.map { time < $0 } ?? true ? .good : .expired
                }
            #expect(row.status == status, comment)
            #expect(row.failures == code.wrong, comment)
            #expect(row.uses.first?.name.description == code.device || code.kind == .label, comment)
        }
    }
}
