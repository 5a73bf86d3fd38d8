import Testing

@testable import Discovery

/// The bookkeeping of a browse as a pure value: what a stack says and times in, steps out.
@Suite struct BrowseBookTests {
    /// A step, or what has changed in what the browse says of itself.
    private enum Told: Hashable {
        case say(Sighting), ask(ServiceInstance, domain: [UInt8]), free(ServiceInstance)
        case pending(Int), unresolved(ServiceInstance, ResolveError), settled, flooded
        case interrupted(DiscoveryError)

        static func all(_ step: BrowseBook.Step, after old: inout SourceProgress) -> [Told] {
            switch step {
            case .say(.quiet(let new)):
                defer { old = new }
                var all: [Told] = []
                if new.pendingCount != old.pendingCount { all.append(.pending(new.pendingCount)) }
                if let it = new.unresolved, it != old.unresolved {
                    all.append(.unresolved(it.instance, it.error))
                }
                if new.isFlooded, !old.isFlooded { all.append(.flooded) }
                if let it = new.interruption, it != old.interruption { all.append(.interrupted(it)) }
                if new.hasSettled, !old.hasSettled { all.append(.settled) }
                return all
            case .say(let sighting): return [.say(sighting)]
            case .ask(let instance, let domain): return [.ask(instance, domain: domain)]
            case .free(let instance): return [.free(instance)]
            }
        }
    }

    private final class Said { var progress = SourceProgress() }

    /// What the book of this test has said of itself last.
    private let said = Said()
    private let start = ContinuousClock.now
    private let lan = NetworkInterface(index: 2, name: "eth0")

    private func instance(_ name: String) -> ServiceInstance {
        ServiceInstance(nameBytes: name.utf8, interface: lan, family: .ipv4)
    }

    private func address(_ text: String = "10.0.0.5") throws -> NetworkAddress {
        try #require(NetworkAddress(text))
    }

    private func service(_ name: String, at text: String = "10.0.0.5") throws -> ResolvedService {
        ResolvedService(
            instance: instance(name), host: "h.local", port: 8000, address: try address(text),
            txt: TXTRecord(strings: [[UInt8]]()))
    }

    private func book(
        follows: Bool = false, atOnce: Int = 100, awaitsHints: Bool = false
    ) -> BrowseBook {
        said.progress = SourceProgress()
        return BrowseBook(
            follows: follows, patience: .seconds(1), maximumQuestions: atOnce, awaitsHints: awaitsHints)
    }

    private func steps(_ book: inout BrowseBook) -> [Told] {
        var told: [Told] = []
        while let step = book.nextStep() { told += Told.all(step, after: &said.progress) }
        return told
    }

    private func ask(_ name: String) -> Told { .ask(instance(name), domain: [0x6C]) }

    private func announce(_ names: String..., to book: inout BrowseBook) -> [Told] {
        for name in names { book.announce(instance(name), domain: [0x6C], at: start) }
        return steps(&book)
    }

    @Test func whoFollowsAsksAgainForWhatHasFailed() throws {
        var book = book(follows: true)
        _ = announce("Hub", "Gone", to: &book)
        for name in ["Hub", "Gone"] { book.fail(instance(name), .timedOut, at: start) }
        #expect(steps(&book).contains(.unresolved(instance("Hub"), .timedOut)))
        book.remove(instance("Gone"), at: start)
        _ = steps(&book)
        let next = try #require(book.nextDeadline)
        #expect(next == start + BrowseBook.rest)
        book.expire(at: next)
        #expect(steps(&book) == [ask("Hub")])
        // It fails once more, which is no news; then it answers.
        book.fail(instance("Hub"), .timedOut, at: next)
        #expect(steps(&book) == [.free(instance("Hub"))])
        book.expire(at: next + BrowseBook.rest)
        #expect(steps(&book) == [ask("Hub")])
        let service = try service("Hub")
        book.answer(service, at: next + BrowseBook.rest)
        #expect(steps(&book) == [.say(.resolved(service))])
        #expect(book.nextDeadline == nil)
        // A list ends soon.
        var list = self.book()
        _ = announce("Hub", to: &list)
        list.fail(instance("Hub"), .timedOut, at: start)
        #expect(list.nextDeadline == nil)
    }

    @Test func withoutAStackWhatHostsSayCounts() throws {
        var book = book(awaitsHints: true)
        let (one, two) = (try service("One"), try service("Two"))
        book.hint(one, from: try address(), at: start)
        #expect(steps(&book) == [.say(.hinted(one))])
        book.standAlone(at: start)
        book.hint(two, from: try address(), at: start)
        #expect(steps(&book) == [.say(.resolved(one)), .say(.resolved(two))])
        // A name alone is waited for until its records come.
        book.hear(instance("Three"), at: start)
        book.allForNow()
        #expect(steps(&book) == [.pending(1)])
        let three = try service("Three")
        book.hint(three, from: try address(), at: start)
        #expect(steps(&book) == [.pending(0), .say(.resolved(three))])
        book.hintsAreIn(at: start)
        #expect(steps(&book) == [.settled])
    }

    @Test func anInstanceIsAskedForAndItsAnswerSaid() throws {
        var book = book()
        #expect(announce("Hub", to: &book) == [.pending(1), ask("Hub")])
        #expect(announce("Hub", to: &book).isEmpty, "it is known")
        book.allForNow()
        #expect(steps(&book).isEmpty, "its answer is waited for")
        let service = try service("Hub")
        book.answer(service, at: start)
        #expect(
            steps(&book) == [
                .pending(0), .free(instance("Hub")), .say(.resolved(service)), .settled,
            ])
        book.answer(service, at: start)
        #expect(steps(&book).isEmpty, "nobody asked")
        book.remove(instance("Hub"), at: start)
        book.remove(instance("Hub"), at: start)
        #expect(steps(&book) == [.say(.gone(.service(instance("Hub"))))])
    }

    /// Each name once, then those that are seen on a second way.
    @Test func namesThatAreAskedForAlreadyWait() {
        var book = book(atOnce: 3, awaitsHints: true)
        let instances = ["A", "B"].flatMap { name in
            [NetworkAddress.Family.ipv4, .ipv6].map {
                ServiceInstance(nameBytes: name.utf8, interface: lan, family: $0)
            }
        }
        for each in instances { book.announce(each, domain: [0x6C], at: start) }
        #expect(steps(&book) == [.pending(1)])
        book.hintsAreIn(at: start)
        let order = [instances[0], instances[2], instances[1], instances[3]]
        #expect(steps(&book) == order.prefix(3).map { .ask($0, domain: [0x6C]) })
        book.fail(instances[0], .timedOut, at: start)
        #expect(steps(&book).last == .ask(order[3], domain: [0x6C]))
    }

    /// While many wait for their first answer.
    @Test func aSecondWayIsAskedForOnceMostFirstOnesHaveAnswered() throws {
        var book = book(atOnce: 400, awaitsHints: true)
        for family in [NetworkAddress.Family.ipv4, .ipv6] {
            for name in 0..<40 {
                book.announce(
                    ServiceInstance(nameBytes: "\(name)".utf8, interface: lan, family: family),
                    domain: [0x6C], at: start)
            }
        }
        book.hintsAreIn(at: start)
        func asked(_ family: NetworkAddress.Family) -> Int {
            steps(&book).count { step in
                if case .ask(let instance, _) = step { instance.family == family } else { false }
            }
        }
        #expect(asked(.ipv4) == 40)
        for name in 0..<8 { book.answer(try service("\(name)"), at: start) }
        #expect(asked(.ipv6) == 0)
        book.answer(try service("8"), at: start)
        #expect(asked(.ipv6) == 1)
        // Those that never answer hold it up until they are late.
        book.expire(at: start + .seconds(2))
        book.answer(try service("9"), at: start + .seconds(2))
        #expect(asked(.ipv6) == 32)
    }

    /// Its host has answered a direct question in that family, and what it has told in the other holds there.
    @Test func aSecondWayToAHostThatAnswersItselfIsNotAskedFor() throws {
        var book = book()
        let second = ServiceInstance(nameBytes: "Hub".utf8, interface: lan, family: .ipv6)
        book.noteDirect("H.local", on: lan, .ipv6)
        #expect(announce("Hub", to: &book) == [.pending(1), ask("Hub")])
        let service = try service("Hub")
        book.answer(service, at: start)
        book.announce(second, domain: [0x6C], at: start)
        book.allForNow()
        #expect(
            steps(&book) == [
                .pending(0), .free(instance("Hub")), .say(.resolved(service)), .pending(1),
                .pending(0), .settled,
            ])
        // What was told is taken back.
        book.remove(instance("Hub"), at: start)
        #expect(
            steps(&book) == [
                .say(.gone(.service(instance("Hub")))), .pending(1), .ask(second, domain: [0x6C]),
            ])
    }

    /// Each of these may be another server of that name.
    @Test(arguments: ["another family", "another interface", "another host", "nobody"])
    func aSecondWayIsAskedForOtherwise(who: String) throws {
        var book = book()
        let elsewhere = NetworkInterface(index: 3, name: "eth1")
        let second = ServiceInstance(
            nameBytes: "Hub".utf8, interface: who == "another interface" ? elsewhere : lan, family: .ipv6)
        switch who {
        case "another family": book.noteDirect("h.local", on: lan, .ipv4)
        case "another interface": book.noteDirect("h.local", on: elsewhere, .ipv6)
        case "another host": book.noteDirect("i.local", on: lan, .ipv6)
        default: break
        }
        _ = announce("Hub", to: &book)
        book.answer(try service("Hub"), at: start)
        book.announce(second, domain: [0x6C], at: start)
        #expect(steps(&book).last == .ask(second, domain: [0x6C]))
    }

    @Test func whatIsSeenOnOneInterfaceInOneFamilyIsNamed() {
        var book = book()
        _ = announce("Hub", "Gone", to: &book)
        let elsewhere = NetworkInterface(index: 3, name: "eth1")
        for (interface, family) in [(lan, NetworkAddress.Family.ipv6), (elsewhere, .ipv4)] {
            book.announce(
                ServiceInstance(nameBytes: "Other".utf8, interface: interface, family: family),
                domain: [0x6C], at: start)
        }
        book.remove(instance("Gone"), at: start)
        #expect(book.names(on: lan, .ipv4) == [Array("Hub".utf8)])
        #expect(book.names(on: lan, .ipv6) == [Array("Other".utf8)])
        #expect(book.names(on: elsewhere, .ipv6).isEmpty)
        book.interrupt(.daemonLost)
        #expect(book.names(on: lan, .ipv4).isEmpty, "a new daemon has not seen it")
    }

    @Test func whoFollowsKeepsTheQuestionAndHearsOfChanges() throws {
        var book = book(follows: true)
        _ = announce("Hub", to: &book)
        for text in ["10.0.0.5", "10.0.0.6"] {
            book.answer(try service("Hub", at: text), at: start)
            #expect(steps(&book).last == .say(.resolved(try service("Hub", at: text))))
        }
        // One that is answered gives way, and one that is not does not.
        book = self.book(follows: true, atOnce: 1)
        #expect(announce("One", "Two", "Three", to: &book) == [.pending(1), ask("One")])
        book.answer(try service("One"), at: start)
        #expect(
            steps(&book) == [.say(.resolved(try service("One"))), .free(instance("One")), ask("Two")])
    }

    @Test func theRestWaitsForItsTurnInOrder() throws {
        var book = book(atOnce: 2)
        #expect(announce("A", "B", "C", "D", "E", to: &book) == [.pending(1), ask("A"), ask("B")])
        book.remove(instance("C"), at: start)
        #expect(steps(&book) == [.say(.gone(.service(instance("C"))))])
        book.fail(instance("B"), .timedOut, at: start)
        #expect(
            steps(&book) == [.free(instance("B")), .unresolved(instance("B"), .timedOut), ask("D")])
        // Back before its old turn: it is asked for once.
        _ = announce("C", to: &book)
        book.answer(try service("A"), at: start)
        #expect(steps(&book).last == ask("E"))
        book.answer(try service("D"), at: start)
        #expect(steps(&book).last == ask("C"))
        book.allForNow()
        book.answer(try service("E"), at: start)
        #expect(steps(&book) == [.free(instance("E")), .say(.resolved(try service("E")))])
        book.answer(try service("C"), at: start)
        #expect(steps(&book).suffix(2) == [.say(.resolved(try service("C"))), .settled])
    }

    @Test func aLateAnswerStillCountsAndIsNotWaitedFor() throws {
        var book = book()
        #expect(book.nextDeadline == nil)
        _ = announce("Hub", "Other", to: &book)
        book.allForNow()
        #expect(book.nextDeadline == start + .seconds(1))
        book.expire(at: start + .milliseconds(999))
        #expect(steps(&book).isEmpty)
        book.answer(try service("Other"), at: start)
        _ = steps(&book)
        book.expire(at: start + .seconds(1))
        #expect(
            steps(&book) == [
                .pending(0), .unresolved(instance("Hub"), .timedOut), .settled,
            ])
        #expect(book.nextDeadline == nil)
        book.answer(try service("Hub"), at: start)
        #expect(steps(&book) == [.free(instance("Hub")), .say(.resolved(try service("Hub")))])
        // Settled comes once; a late failure is no second report.
        _ = announce("Third", to: &book)
        book.expire(at: start + .seconds(1))
        _ = steps(&book)
        book.fail(instance("Third"), .avahi(code: -15, text: "timeout"), at: start)
        #expect(steps(&book) == [.free(instance("Third"))])
    }

    @Test func aHintTakesThePlaceOfAQuestion() throws {
        var book = book(awaitsHints: true)
        let hub = try service("Hub")
        book.hint(hub, from: try address(), at: start)
        #expect(steps(&book) == [.say(.hinted(hub))])
        // Another server of the same name; and the same again.
        book.hint(try service("Hub", at: "10.0.0.6"), from: try address("10.0.0.6"), at: start)
        book.hint(hub, from: try address(), at: start)
        #expect(steps(&book) == [.say(.changed(try address("10.0.0.6"), host: "h.local", interface: lan))])
        #expect(announce("Hub", to: &book) == [.say(.resolved(hub))])
        // Seen first, hinted later, but before it was asked for.
        #expect(announce("Late", "Silent", to: &book) == [.pending(1)])
        book.hint(try service("Late"), from: try address(), at: start)
        #expect(steps(&book) == [.say(.resolved(try service("Late")))])
        book.hintsAreIn(at: start)
        #expect(steps(&book) == [ask("Silent")])
        // A hint for what was asked already is its answer.
        book.hint(try service("Silent"), from: try address(), at: start)
        #expect(
            steps(&book) == [
                .say(.resolved(try service("Silent"))), .pending(0), .free(instance("Silent")),
            ])
    }

    @Test(arguments: [false, true])
    func whatHasJustAnsweredAndExpiresIsAHintAgain(follows: Bool) throws {
        var book = book(follows: follows)
        let service = try service("Hub")
        #expect(book.knowsAllHints)
        book.hint(service, from: try address(), at: start)
        #expect(!book.knowsAllHints)
        #expect(book.knownNames.isEmpty)
        _ = announce("Hub", to: &book)
        #expect(book.knowsAllHints)
        #expect(Array(book.knownNames) == [Array("Hub".utf8)])
        book.remove(instance("Hub"), at: start)
        let gone = steps(&book).filter { if case .say = $0 { true } else { false } }
        #expect(gone == [.say(.gone(.service(instance("Hub"))))] + (follows ? [] : [.say(.hinted(service))]))
        #expect(book.knowsAllHints == follows)
    }

    @Test func aHostThatMulticastsWhatItHintedAtConfirmsIt() throws {
        var book = book()
        let service = try service("Hub")
        book.hint(service, from: try address(), at: start)
        _ = steps(&book)
        book.hear(instance("Hub"), at: start)
        #expect(steps(&book) == [.say(.resolved(service))])
        book.hear(instance("Hub"), at: start)
        #expect(steps(&book).isEmpty)
        #expect(announce("Hub", to: &book).isEmpty, "the stack says nothing new")
        book.remove(instance("Hub"), at: start)
        #expect(steps(&book).first == .say(.gone(.service(instance("Hub")))))
    }

    @Test func whatIsHeardWithoutAHintIsWaitedForAndAskedForOnceItIsSeen() throws {
        var book = book()
        let service = try service("Hub")
        book.allForNow()
        _ = steps(&book)
        book.hear(instance("Hub"), at: start)
        #expect(steps(&book) == [.pending(1)])
        #expect(book.nextDeadline == start + .seconds(1))
        #expect(announce("Hub", to: &book) == [ask("Hub")])
        book.answer(service, at: start)
        #expect(steps(&book).contains(.pending(0)))
        // Complete later, and never seen by the stack.
        for name in ["Late", "Never"] { book.hear(instance(name), at: start) }
        _ = steps(&book)
        let late = try self.service("Late")
        book.hint(late, from: try address(), at: start)
        #expect(steps(&book) == [.say(.resolved(late))])
        book.expire(at: start + .seconds(1))
        #expect(
            steps(&book) == [.pending(0), .unresolved(instance("Never"), .timedOut)])
        #expect(book.nextDeadline == nil)
        // Seen elsewhere already.
        book.hear(
            ServiceInstance(nameBytes: "Late".utf8, interface: lan, family: .ipv6), at: start)
        #expect(steps(&book).isEmpty && book.nextDeadline == nil)
    }

    // It does not show that its host answers direct questions.
    @Test func whatAHostMulticastsIsNoHint() throws {
        var book = book()
        let service = try service("Hub")
        book.hear(instance("Hub"), at: start)
        book.hint(service, from: try address(), at: start)
        #expect(steps(&book) == [.pending(1), .pending(0), .say(.resolved(service))])
    }

    @Test func whoFollowsAsksInSpiteOfAHint() throws {
        var book = book(follows: true)
        book.hint(try service("Hub"), from: try address(), at: start)
        _ = steps(&book)
        #expect(announce("Hub", to: &book) == [.say(.resolved(try service("Hub"))), ask("Hub")])
        // Its failure does not count against the hint.
        book.expire(at: start + .seconds(1))
        #expect(steps(&book).isEmpty)
    }

    @Test func oneHostHintsAtSoMuchAndNoMore() throws {
        var book = book()
        for number in 0..<300 { book.hint(try service("\(number)"), from: try address(), at: start) }
        #expect(steps(&book).count == BrowseBook.maximumHintsPerHost)
        for number in 0..<5_000 {
            let source = try address("10.1.\(number / 250).\(number % 250)")
            book.hint(try service("x\(number)"), from: source, at: start)
        }
        #expect(steps(&book).count == BrowseBook.maximumHints - BrowseBook.maximumHintsPerHost)
    }

    @Test func whatAMessageBringsInBothFamiliesCountsInEach() throws {
        var book = book()
        for number in 0..<250 {
            for family in [NetworkAddress.Family.ipv4, .ipv6] {
                let hub = try service("\(number)")
                let instance = ServiceInstance(
                    nameBytes: hub.instance.nameBytes, interface: hub.instance.interface, family: family)
                let same = ResolvedService(
                    instance: instance, host: hub.host, port: hub.port, address: hub.address, txt: hub.txt)
                book.hint(same, from: try address(), at: start)
            }
        }
        #expect(steps(&book).count == 500)
    }

    @Test func aFloodOfHintsIsNamed() throws {
        var book = book()
        var listing = HubListing(networks: [
            LocalNetwork(interface: "eth0", address: try address("10.0.0.1"), prefixLength: 24)
        ])
        for number in 0..<300 { book.hint(try service("\(number)"), from: try address(), at: start) }
        var isNamed = false
        for case .say(let sighting) in steps(&book) {
            for case .flooded in listing.apply(sighting, at: .zero) { isNamed = true }
        }
        #expect(isNamed)
    }

    @Test func aFloodIsSaidOnceAndNotWaitedFor() {
        var book = book(atOnce: 1)
        for number in 0..<HubBrowser.maximumInstances {
            book.announce(instance("\(number)"), domain: [], at: start)
        }
        book.allForNow()
        #expect(!steps(&book).contains(.settled))
        #expect(announce("more", "and more", to: &book) == [.flooded, .settled])
    }

    @Test func whoFollowsHearsOfNewOnesHoweverManyThereWere() {
        var book = book(follows: true)
        for number in 0..<HubBrowser.maximumInstances {
            book.announce(instance("\(number)"), domain: [], at: start)
        }
        _ = steps(&book)
        let said = announce("new", to: &book)
        #expect(said.contains(.flooded))
        #expect(said.contains(.say(.gone(.service(instance("0"))))))
        #expect(book.knownNames.contains(Array("new".utf8)))
    }

    @Test func everNewNamesTakeNoMoreMemory() throws {
        var book = book(follows: true)
        var most = 0
        for number in 0..<20_000 {
            let hub = try service("\(number)")
            book.announce(hub.instance, domain: [], at: start)
            book.answer(hub, at: start)
            if number >= 100 { book.remove(instance("\(number - 100)"), at: start) }
            _ = steps(&book)
            if number < 2_000 { most = max(most, book.entryCount) }
        }
        #expect(book.entryCount <= most)
    }

    @Test func anInterruptionKeepsWhatIsSeenAgain() throws {
        var book = book()
        _ = announce("Kept", "Gone", "Asked", to: &book)
        book.answer(try service("Kept"), at: start)
        book.answer(try service("Gone"), at: start)
        _ = steps(&book)
        book.interrupt(.daemonLost)
        #expect(steps(&book) == [.pending(0), .interrupted(.daemonLost)])
        #expect(book.nextDeadline == nil)
        book.answer(try service("Asked"), at: start)
        #expect(steps(&book).isEmpty, "the old stack's answer")
        #expect(announce("Kept", to: &book) == [.pending(1), ask("Kept")])
        #expect(announce("Kept", to: &book).isEmpty)
        book.removeStale(at: start)
        let gone = steps(&book)
        #expect(
            Set(gone) == [
                .say(.gone(.service(instance("Gone")))), .say(.gone(.service(instance("Asked")))),
            ])
        #expect(gone.count == 2)
        book.removeStale(at: start)
        #expect(steps(&book).isEmpty)
    }
}

@Suite struct HostAddressesTests {
    private let host = HostAddresses.Host(
        name: "h.local", interface: NetworkInterface(index: 2, name: "eth0"))

    private func address(_ last: Int) throws -> NetworkAddress {
        try #require(NetworkAddress("10.0.0.\(last)"))
    }

    private func gone(_ last: Int) throws -> Sighting {
        .gone(.address(try address(last), host: host.name, interface: host.interface))
    }

    // Each record comes once for IPv4 packets and once for IPv6 ones.
    @Test func anAddressIsThereUntilItsLastRecordIsGone() throws {
        var addresses = HostAddresses()
        let one = try address(1)
        #expect(addresses.add(one, of: host) == .changed(one, host: host.name, interface: host.interface))
        #expect(addresses.add(one, of: host) == nil)
        #expect(addresses.remove(one, of: host) == nil)
        #expect(addresses.remove(one, of: host) == (try gone(1)))
        #expect(addresses.remove(one, of: host) == nil)
    }

    @Test func oneHostHasSoManyAndNoMore() throws {
        var addresses = HostAddresses()
        let news = try (0...HubListing.maximumAddresses).compactMap {
            addresses.add(try address($0), of: host)
        }
        #expect(news.count == HubListing.maximumAddresses)
    }

    @Test func anInterruptionKeepsWhatIsSeenAgain() throws {
        var addresses = HostAddresses()
        for last in 1...3 { _ = addresses.add(try address(last), of: host) }
        addresses.interrupt()
        _ = addresses.add(try address(2), of: host)
        #expect(Set(addresses.removeStale()) == [try gone(1), try gone(3)])
        #expect(addresses.removeStale().isEmpty)
        // It can still go.
        #expect(addresses.remove(try address(2), of: host) == (try gone(2)))
    }
}
