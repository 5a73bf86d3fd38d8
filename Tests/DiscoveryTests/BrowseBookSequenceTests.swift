import TestSupport
import Testing

@testable import Discovery

/// Random sequences of what a stack, hints and hosts say, against what must hold after each of them.
@Suite struct BrowseBookSequenceTests {
    private static let names = (0..<5).map { "Hub \($0)" }
    private let start = ContinuousClock.now
    private let lan = NetworkInterface(index: 2, name: "eth0")

    private func service(_ instance: ServiceInstance, on host: String) throws -> ResolvedService {
        ResolvedService(
            instance: instance, host: host, port: 8000, address: try #require(NetworkAddress("10.0.0.5")),
            txt: TXTRecord(strings: [[UInt8]]()))
    }

    /// What the steps so far mean to whoever carries them out.
    private struct Account {
        var asked: Set<ServiceInstance> = []
        var said = SourceProgress()
        var settled = 0
        /// What is told of each name: the instances that have an address, and those that have none.
        var told: [[UInt8]: Set<ServiceInstance>] = [:]

        mutating func carryOut(_ step: BrowseBook.Step, _ context: Comment) {
            switch step {
            case .ask(let instance, _):
                #expect(asked.insert(instance).inserted, "asked twice: \(context)")
            case .free(let instance):
                #expect(asked.remove(instance) != nil, "freed, and not asked: \(context)")
            case .say(.quiet(let new)):
                #expect(new != said, "said again: \(context)")
                if new.hasSettled, !said.hasSettled {
                    settled += 1
                    #expect(new.pendingCount == 0 && settled == 1, "\(context)")
                }
                if let lost = new.unresolved?.instance, new.unresolved != said.unresolved {
                    told[lost.nameBytes, default: []].insert(lost)
                }
                said = new
            case .say(.found(let service, by: _)):
                told[service.instance.nameBytes, default: []].insert(service.instance)
            case .say(.gone(.service(let instance))): told[instance.nameBytes]?.remove(instance)
            case .say: break
            }
        }
    }

    @Test(arguments: 0..<400 as Range<UInt64>)
    func whateverComesTheAccountIsRight(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let follows = seed % 4 == 0
        let most = seed % 3 == 0 ? 2 : 100
        var book = BrowseBook(
            follows: follows, patience: .milliseconds(200), maximumQuestions: most,
            awaitsHints: seed % 2 == 0)
        var account = Account()
        var now = start
        for turn in 0..<300 {
            let name = try #require(BrowseBookSequenceTests.names.randomElement(using: &random))
            let family = try #require([NetworkAddress.Family.ipv4, .ipv6].randomElement(using: &random))
            let instance = ServiceInstance(nameBytes: name.utf8, interface: lan, family: family)
            let host = try #require(["h.local", "H.local", "i.local"].randomElement(using: &random))
            let event = Int.random(in: 0..<22, using: &random)
            switch event {
            case 0..<4: book.announce(instance, domain: [0x6C], at: now)
            case 4..<7: if !follows { book.hear(instance, at: now) }
            case 7..<9: book.remove(instance, at: now)
            case 9..<12:
                let source = try #require(NetworkAddress("10.0.0.5"))
                book.hint(try service(instance, on: host), from: source, at: now)
            case 12..<15:
                if account.asked.contains(instance) { book.answer(try service(instance, on: host), at: now) }
            case 15: if account.asked.contains(instance) { book.fail(instance, .timedOut, at: now) }
            case 16: book.hintsAreIn(at: now)
            case 17: book.allForNow()
            case 18:
                guard turn % 50 == 0 else { break }
                book.interrupt(.daemonLost)
                account.asked = []
            case 19: book.noteDirect(host, on: lan, family)
            case 20: if turn % 40 == 0, !follows { book.standAlone(at: now) }
            default: book.expire(at: now)
            }
            now += .milliseconds(Int.random(in: 0..<40, using: &random))
            while let step = book.nextStep() {
                account.carryOut(step, "seed \(seed), turn \(turn), event \(event) of \(name)")
            }
            #expect(account.asked.count <= most)
        }
        // In the end nothing is waited for.
        book.hintsAreIn(at: now)
        book.allForNow()
        for _ in 0..<2 * BrowseBookSequenceTests.names.count + 1 {
            while let step = book.nextStep() { account.carryOut(step, "seed \(seed), at the end") }
            if let next = book.nextDeadline { book.expire(at: next) }
            // A stack ends each question some time, and the next one takes its place.
            for instance in account.asked { book.fail(instance, .timedOut, at: now) }
        }
        while let step = book.nextStep() { account.carryOut(step, "seed \(seed), at the end") }
        // Who follows asks again some time.
        #expect(follows || book.nextDeadline == nil, "seed \(seed)")
        #expect(account.said.pendingCount == 0 && account.settled == 1, "seed \(seed)")
        // Whatever need not be asked for: of each name that is still announced something is told.
        for name in book.knownNames {
            #expect(account.told[name]?.isEmpty == false, "seed \(seed): nothing of \(name)")
        }
    }
}
