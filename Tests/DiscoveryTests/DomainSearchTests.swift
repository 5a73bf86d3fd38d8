import Addresses
import Synchronization
import TestSupport
import Testing

@testable import Discovery

/// A name server of the tests: records by name, and how it answers a question.
private struct FakeServer {
    var records: [String: [(type: RecordType, data: [UInt8])]] = [:]
    /// Puts a target's addresses beside its SRV record, as servers do (RFC 2782).
    var tellsMore = true

    static func name(_ text: String) -> [UInt8] {
        text.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    mutating func hub(
        _ label: String, in domain: String, host: String, txt: [UInt8]? = [3] + Array("a=1".utf8)
    ) {
        let instance = "\(label)._hestia._tcp.\(domain)"
        records["_hestia._tcp.\(domain)", default: []].append((RecordType.ptr, Self.name(instance)))
        records[instance, default: []].append((RecordType.srv, [0, 0, 0, 0, 0x1F, 0x40] + Self.name(host)))
        if let txt { records[instance, default: []].append((RecordType.txt, txt)) }
    }

    func answer(_ question: DomainSearch.Question, truncated: Bool = false) -> [UInt8]? {
        let name = question.name.text
        var found = (records[name] ?? []).filter {
            $0.type == question.kind || $0.type == .cname
        }
        .map { (name, $0) }
        guard !found.isEmpty else { return nil }
        if tellsMore {
            for (_, record) in found where record.type == .srv || record.type == .cname {
                let target = record.type == .srv ? Array(record.data.dropFirst(6)) : record.data
                let text = Self.text(target)
                found += (records[text] ?? []).filter { $0.type != .ptr }.map { (text, $0) }
            }
        }
        var message = MessageBuilder(flags: truncated ? 0x8780 : 0x8580, records: UInt16(found.count))
        for (name, record) in found {
            message.record(Self.name(name), record.type.rawValue, class: [0, 1], record.data)
        }
        return message.bytes
    }

    private static func text(_ name: [UInt8]) -> String {
        var (labels, rest) = ([String](), name[...])
        while let length = rest.first, length > 0 {
            labels.append(String(decoding: rest.dropFirst().prefix(Int(length)), as: UTF8.self))
            rest = rest.dropFirst(1 + Int(length))
        }
        return labels.joined(separator: ".")
    }
}

@Suite struct DomainSearchTests {
    /// What a search has told, and how it ended.
    private struct Outcome {
        var sightings: [Sighting] = []
        var unresolved: [SourceProgress.Unresolved] = []
        var failure: ResolveError?
        var isIncomplete = false
    }

    /// Answers all questions, some at once and some later; checks that each is asked once, and the bound on
    /// them.
    private func search(
        _ domain: String = "home.example", types: [String] = ["_hestia._tcp"],
        maximumInstances: Int = DomainSearch.maximumInstances,
        _ answer: @escaping @Sendable (DomainSearch.Question) throws(ResolveError) -> [UInt8]?
    ) async throws -> Outcome {
        let asked = Mutex<Set<DomainSearch.Question>>([])
        let told = Mutex<[Sighting]>([])
        let types = try types.map { text throws(ServiceNameError) in try ServiceType(text) }
        let search = DomainSearch(
            types: types, rules: HubAddressRules(networks: []), maximumInstances: maximumInstances,
            ask: { question async throws(ResolveError) in
                let (isFirst, count) = asked.withLock { ($0.insert(question).inserted, $0.count) }
                #expect(isFirst, "\(question) is asked twice")
                for _ in 0..<count % 3 { await Task.yield() }
                return try answer(question)
            }, report: { sighting in told.withLock { $0.append(sighting) } })
        await search.run(try SearchDomain(domain).name)
        let most = 1 + DomainSearch.maximumDomains * types.count + maximumInstances * 4
        #expect(asked.withLock { $0.count } <= most)
        var outcome = Outcome(failure: await search.failure, isIncomplete: await search.isIncomplete)
        for sighting in told.withLock({ $0 }) {
            if case .quiet(let progress) = sighting {
                outcome.unresolved.append(try #require(progress.unresolved))
            } else {
                outcome.sightings.append(sighting)
            }
        }
        #expect(await search.unresolved == Set(outcome.unresolved.map(\.instance)))
        return outcome
    }

    private func rows(_ sightings: [Sighting]) -> [String] {
        var listing = HubListing(networks: [])
        for sighting in sightings { _ = listing.apply(sighting, at: .zero) }
        #expect(listing.hubs.allSatisfy { $0.sources == [.dns] })
        return listing.hubs.map { "\($0.name) \($0.addresses.map(\.description).joined(separator: " "))" }
            .sorted()
    }

    @Test(arguments: [true, false])
    func findsHubsWithWhatServersTellBesideAndWithout(tellsMore: Bool) async throws {
        var server = FakeServer(tellsMore: tellsMore)
        server.hub("One", in: "home.example", host: "a.example")
        server.hub("Two", in: "home.example", host: "b.example", txt: nil)
        server.hub("Gone", in: "home.example", host: "")
        server.hub("Lost", in: "home.example", host: "nowhere.example")
        server.hub("Alias", in: "home.example", host: "alias.example")
        server.records["a.example"] = [
            (RecordType.a, [127, 0, 0, 1]), (RecordType.a, [10, 0, 0, 1]),
            (RecordType.aaaa, [0x20, 1] + [UInt8](repeating: 0, count: 13) + [1]),
        ]
        server.records["b.example"] = [(RecordType.a, [8, 8, 8, 8])]
        server.records["alias.example"] = [(RecordType.cname, FakeServer.name("b.example"))]
        let outcome = try await search { [server] in server.answer($0) }
        // An alias is followed within an answer only; a resolver gives all of its links.
        let alias = tellsMore ? ["Alias 8.8.8.8"] : []
        #expect(rows(outcome.sightings) == alias + ["One 10.0.0.1 2001::1", "Two 8.8.8.8"])
        #expect(outcome.unresolved.contains { $0.instance.name == "Lost" && $0.error == .noAddress })
        #expect(!outcome.isIncomplete && outcome.failure == nil)
    }

    @Test func anotherDomainToBrowseIsBrowsedAndACircleEnds() async throws {
        var server = FakeServer()
        server.hub("Far", in: "far.example", host: "a.example")
        server.records["a.example"] = [(RecordType.a, [10, 0, 0, 1])]
        server.records["b._dns-sd._udp.home.example"] = ["far.example", "home.example", "local", ""].map {
            (RecordType.ptr, FakeServer.name($0))
        }
        server.records["b._dns-sd._udp.far.example"] = [(RecordType.ptr, FakeServer.name("home.example"))]
        let outcome = try await search { [server] in server.answer($0) }
        #expect(rows(outcome.sightings) == ["Far 10.0.0.1"])
    }

    /// As a zone is cut that one name server answer cannot hold: 100 hubs in each.
    @Test func threeThousandHubsInZonesOfAHundred() async throws {
        var server = FakeServer(tellsMore: false)
        let zones = (0..<30).map { "z\($0).home.example" }
        server.records["b._dns-sd._udp.home.example"] = zones.map { (RecordType.ptr, FakeServer.name($0)) }
        for (number, zone) in zones.enumerated() {
            for hub in 0..<100 {
                server.hub("Hub\(number)-\(hub)", in: zone, host: "h\(hub).\(zone)")
                server.records["h\(hub).\(zone)"] = [(RecordType.a, [10, 1, UInt8(number), UInt8(hub)])]
            }
        }
        let outcome = try await search { [server] in server.answer($0) }
        #expect(outcome.sightings.count == 3_000 && outcome.unresolved.isEmpty && !outcome.isIncomplete)
        var listing = HubListing(networks: [], capacity: DomainSearch.maximumInstances)
        for sighting in outcome.sightings { _ = listing.apply(sighting, at: .zero) }
        #expect(listing.hubs.count == 3_000)
    }

    @Test func severalTypesAndOthersThanAskedFor() async throws {
        var server = FakeServer()
        server.records["_hestia._tcp.home.example"] = [
            "X._other._tcp.home.example", "home.example", "_hestia._tcp.home.example",
        ]
        .map { (RecordType.ptr, FakeServer.name($0)) }
        server.records["_other._tcp.home.example"] = [
            (RecordType.ptr, FakeServer.name("X._other._tcp.home.example"))
        ]
        server.records["X._other._tcp.home.example"] = [
            (RecordType.srv, [0, 0, 0, 0, 1, 0xBB] + FakeServer.name("a.example"))
        ]
        server.records["a.example"] = [(RecordType.a, [10, 0, 0, 1])]
        let none = try await search { [server] in server.answer($0) }
        #expect(none.sightings.isEmpty)
        let both = try await search(types: ["_hestia._tcp", "_other._tcp"]) { [server] in server.answer($0) }
        #expect(rows(both.sightings) == ["X 10.0.0.1"])
    }

    @Test func failuresAreToldApart() async throws {
        var server = FakeServer()
        server.hub("Hub", in: "home.example", host: "a.example")
        let silent = try await search { _ throws(ResolveError) in throw .timedOut }
        #expect(silent.failure == .timedOut)
        let empty = try await search { _ in nil }
        #expect(empty.failure == nil)
        // The host's addresses do not come: the hub is announced, and not listed.
        let nowhere = try await search { [server] question throws(ResolveError) in
            if question.kind == .a || question.kind == .aaaa { throw .timedOut }
            return server.answer(question)
        }
        #expect(nowhere.sightings.isEmpty)
        #expect(nowhere.unresolved.map(\.error) == [.timedOut])
        // A TXT record that does not come is not an empty one: its hub would look like a stock hub.
        let textless = try await search { [server] question throws(ResolveError) in
            if question.kind == .txt { throw .timedOut }
            return server.answer(question)
        }
        #expect(textless.unresolved.map(\.error) == [.timedOut])
        #expect(rows(textless.sightings).isEmpty)
    }

    /// Hundreds on one host, which is asked for once; more than there is room for are left out, and that is
    /// said.
    @Test func moreThanThereIsRoomForIsLeftOutAndSaid() async throws {
        var server = FakeServer()
        for number in 0..<1_100 { server.hub("Hub\(number)", in: "e", host: "a.example") }
        server.tellsMore = false
        server.records["a.example"] = [(RecordType.a, [10, 0, 0, 1])]
        let all = try await search("e") { [server] in server.answer($0) }
        #expect(all.sightings.count == 1_100 && !all.isIncomplete)
        let some = try await search("e", maximumInstances: 1_000) { [server] in server.answer($0) }
        #expect(some.sightings.count == 1_000 && some.isIncomplete)
        var small = FakeServer()
        small.hub("Hub", in: "home.example", host: "a.example")
        let cut = try await search { [small] in small.answer($0, truncated: $0.kind == .ptr) }
        #expect(cut.isIncomplete)
    }

    /// Who waits no longer is not kept waiting by questions that are never answered.
    @Test func aSearchThatIsCancelledEnds() async throws {
        let search = DomainSearch(
            types: [.hestia], rules: HubAddressRules(networks: []),
            ask: { _ throws(ResolveError) in
                await Task.untilCancelled()
                throw .timedOut
            }, report: { _ in })
        let task = Task { await search.run(try SearchDomain("home.example").name) }
        task.cancel()
        try await task.value
        #expect(await search.failure == .timedOut)
    }

    /// A server that wants to do harm: records of any type for any name that it was asked for or has named,
    /// aliases in circles, answers that are cut off, empty or noise. The oracle counts questions and hubs
    /// apart from the search.
    @Test(arguments: 0..<200)
    func survivesAHostileServer(seed: Int) async throws {
        let random = Mutex(SplitMix64(seed: UInt64(seed)))
        let names = (0..<12).map { "n\($0).example" }
        let announced = Mutex<Set<String>>([])
        let types = ["_hestia._tcp", "_other._tcp"]
        let outcome = try await search(types: types) { question throws(ResolveError) in
            var random = random.withLock { SplitMix64(seed: $0.next()) }
            switch Int.random(in: 0..<12, using: &random) {
            case 0: return nil
            case 1: throw .timedOut
            case 2:
                return (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                    .random(in: 0...255, using: &random)
                }
            default: break
            }
            let count = Int.random(in: 0..<40, using: &random)
            var message = MessageBuilder(
                flags: Bool.random(using: &random) ? 0x8580 : 0x8780, records: UInt16(count))
            for _ in 0..<count {
                let owner =
                    Bool.random(using: &random) ? question.name.text : names.randomElement(using: &random)!
                let type: UInt8 = [1, 5, 12, 16, 28, 33].randomElement(using: &random)!
                let target = FakeServer.name(
                    Bool.random(using: &random)
                        ? names.randomElement(using: &random)!
                        : "\(Int.random(in: 0..<900, using: &random))._hestia._tcp.\(names[0])")
                let data: [UInt8] =
                    switch type {
                    case 1: (0..<4).map { _ in .random(in: 0...255, using: &random) }
                    case 28: (0..<16).map { _ in .random(in: 0...255, using: &random) }
                    case 16: [1, 0x61]
                    case 33: [0, 0, 0, 0, .random(in: 0...1, using: &random), 0] + target
                    default: target
                    }
                if type == 12 || type == 5 {
                    announced.withLock { _ = $0.insert(DNSName(labels: Self.labels(target)).text) }
                }
                message.record(FakeServer.name(owner), type, class: [0, 1], data)
            }
            return message.bytes
        }
        var told: Set<ServiceInstance> = []
        for sighting in outcome.sightings {
            switch sighting {
            case .found(let service, by: .announced):
                #expect(told.insert(service.instance).inserted)
                let name = "\(service.instance.name).\(service.instance.service)"
                #expect(announced.withLock { $0.contains(name) })
            case .changed(_, let host, let interface):
                #expect(interface == .none && host.utf8.count <= 1_014)
            default: Issue.record("\(sighting)")
            }
        }
        for lost in outcome.unresolved { #expect(told.insert(lost.instance).inserted) }
        _ = rows(outcome.sightings)
    }

    private static func labels(_ name: [UInt8]) -> [[UInt8]] {
        var (labels, rest) = ([[UInt8]](), name[...])
        while let length = rest.first, length > 0 {
            labels.append(Array(rest.dropFirst().prefix(Int(length))))
            rest = rest.dropFirst(1 + Int(length))
        }
        return labels
    }
}

@Suite struct ServiceNameTests {
    @Test(arguments: ["_hestia._tcp", "_a._tcp", "_a-1._tcp", "_abcdefghijklmno._tcp"])
    func typesThatAre(text: String) throws {
        #expect(try ServiceType(text).description == text)
    }

    @Test(arguments: [
        "", "hestia", "_hestia", "_hestia._udp", "_hestia._tcp.local", "_._tcp", "_-a._tcp", "_a-._tcp",
        "_a--b._tcp",
        "_1._tcp", "_abcdefghijklmnop._tcp", "_hest ia._tcp", "_hestia._tcp.", "_hé._tcp",
    ])
    func typesThatAreNone(text: String) {
        #expect(throws: ServiceNameError.type(text)) { try ServiceType(text) }
    }

    @Test(arguments: [
        ("example.org", "example.org"), ("home.arpa.", "home.arpa"), ("a", "a"),
        ("x_1.Example", "x_1.Example"),
    ])
    func domainsThatAre(text: String, description: String) throws {
        #expect(try SearchDomain(text).description == description)
    }

    @Test(arguments: [
        ("", ServiceNameError.domain("")), (".", .domain(".")), ("a..b", .domain("a..b")),
        ("a b", .domain("a b")),
        ("é.example", .notASCII("é.example")), ("local", .local), ("Hub.LOCAL.", .local),
        (String(repeating: "a", count: 64), .domain(String(repeating: "a", count: 64))),
        (String(repeating: "a.", count: 91), .domain(String(repeating: "a.", count: 91))),
    ])
    func domainsThatAreNone(text: String, error: ServiceNameError) {
        #expect(throws: error) { try SearchDomain(text) }
    }

    @Test(arguments: [
        ("10.0.0.1", nil as String?), ("8.8.8.8", nil), ("2001:db8::1", nil), ("fd77::1", nil),
        ("127.0.0.1", "announced over the network"), ("::1", "announced over the network"),
        ("0.0.0.0", "not the address of a host"),
        ("0.1.2.3", "not the address of a host"), ("240.0.0.1", "not the address of a host"),
        ("255.255.255.255", "not the address"),
        ("224.0.0.251", "multicast"), ("ff02::1", "multicast"), ("fe80::1", "on one link only"),
        ("169.254.1.1", "on one link only"),
        ("64:ff9b::1", "not the address of a host"), ("::ffff:10.0.0.1", "not the address of a host"),
    ])
    func addressesOfADomain(text: String, fault: String?) throws {
        let address = try #require(NetworkAddress(text))
        do throws(HubAddressError) {
            try HubAddressRules(networks: []).checkUnicast(address, port: 8000)
            #expect(fault == nil)
        } catch {
            #expect(error.description.contains(fault ?? "-"))
        }
    }
}
