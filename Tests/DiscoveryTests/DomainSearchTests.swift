import Addresses
import TestSupport
import Testing

@testable import Discovery

/// A name server of the tests: records by name, and how it answers a question.
private struct FakeServer {
    var records: [String: [(type: UInt8, data: [UInt8])]] = [:]
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

    func answer(_ question: DomainSearch.Question, truncated: Bool = false) -> DomainSearch.Answer {
        let name = question.name.text
        var found = (records[name] ?? []).filter {
            $0.type == question.kind.rawValue || $0.type == RecordType.cname
        }
        .map { (name, $0) }
        guard !found.isEmpty else { return .nothing }
        if tellsMore {
            for (_, record) in found where record.type == RecordType.srv || record.type == RecordType.cname {
                let target = record.type == RecordType.srv ? Array(record.data.dropFirst(6)) : record.data
                let text = Self.text(target)
                found += (records[text] ?? []).filter { $0.type != RecordType.ptr }.map { (text, $0) }
            }
        }
        var message = MessageBuilder(flags: truncated ? 0x8780 : 0x8580, records: UInt16(found.count))
        for (name, record) in found {
            message.record(Self.name(name), record.type, class: [0, 1], record.data)
        }
        return .message(message.bytes)
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
    private static let rules = HubAddressRules(networks: [])

    private func search(_ domain: String = "home.example", types: [String] = ["_hestia._tcp"]) throws
        -> DomainSearch
    {
        DomainSearch(
            try SearchDomain(domain).name,
            types: try types.map { text throws(ServiceNameError) in try ServiceType(text) },
            rules: Self.rules)
    }

    /// Answers all questions; checks that each is asked once, and the bound on them.
    private func run(
        _ search: inout DomainSearch, _ answer: (DomainSearch.Question) -> DomainSearch.Answer
    ) -> [Sighting] {
        var asked: Set<DomainSearch.Question> = []
        var sightings: [Sighting] = []
        var queue = search.takeQuestions()
        while !queue.isEmpty {
            let question = queue.removeFirst()
            #expect(asked.insert(question).inserted)
            sightings += search.take(answer(question), of: question)
            queue += search.takeQuestions()
        }
        #expect(asked.count <= DomainSearch.maximumQuestions)
        #expect(search.isOver)
        return sightings
    }

    private func rows(_ sightings: [Sighting]) -> [String] {
        var listing = HubListing(networks: [])
        for sighting in sightings { _ = listing.apply(sighting, at: .zero) }
        #expect(listing.hubs.allSatisfy { $0.sources == [.dns] })
        return listing.hubs.map { "\($0.name) \($0.addresses.map(\.description).joined(separator: " "))" }
            .sorted()
    }

    @Test(arguments: [true, false])
    func findsHubsWithWhatServersTellBesideAndWithout(tellsMore: Bool) throws {
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
        var search = try search()
        let sightings = run(&search) { server.answer($0) }
        // An alias is followed within an answer only; a resolver gives all of its links.
        let alias = tellsMore ? ["Alias 8.8.8.8"] : []
        #expect(rows(sightings) == alias + ["One 10.0.0.1 2001::1", "Two 8.8.8.8"])
        #expect(search.unresolved.contains { $0.instance.name == "Lost" && $0.error == .noAddress })
        #expect(!search.isIncomplete && search.failure == nil)
    }

    @Test func anotherDomainToBrowseIsBrowsedAndACircleEnds() throws {
        var server = FakeServer()
        server.hub("Far", in: "far.example", host: "a.example")
        server.records["a.example"] = [(RecordType.a, [10, 0, 0, 1])]
        server.records["b._dns-sd._udp.home.example"] = ["far.example", "home.example", "local", ""].map {
            (RecordType.ptr, FakeServer.name($0))
        }
        server.records["b._dns-sd._udp.far.example"] = [(RecordType.ptr, FakeServer.name("home.example"))]
        var search = try search()
        #expect(rows(run(&search) { server.answer($0) }) == ["Far 10.0.0.1"])
    }

    @Test func severalTypesAndOthersThanAskedFor() throws {
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
        var search = try search()
        #expect(run(&search) { server.answer($0) }.isEmpty)
        search = try self.search(types: ["_hestia._tcp", "_other._tcp"])
        #expect(rows(run(&search) { server.answer($0) }) == ["X 10.0.0.1"])
    }

    @Test func failuresAreToldApart() throws {
        var server = FakeServer()
        server.hub("Hub", in: "home.example", host: "a.example")
        var search = try search()
        _ = run(&search) { _ in .failure(.timedOut) }
        #expect(search.failure == .timedOut)
        search = try self.search()
        _ = run(&search) { _ in .nothing }
        #expect(search.failure == nil)
        // The host's addresses do not come: the hub is announced, and not listed.
        search = try self.search()
        let sightings = run(&search) {
            $0.kind == .a || $0.kind == .aaaa ? .failure(.timedOut) : server.answer($0)
        }
        #expect(sightings.isEmpty)
        #expect(search.unresolved.map(\.error) == [.timedOut])
        // A TXT record that does not come is not an empty one: its hub would look like a stock hub.
        search = try self.search()
        let texts = run(&search) { $0.kind == .txt ? .failure(.timedOut) : server.answer($0) }
        #expect(search.unresolved.map(\.error) == [.timedOut])
        #expect(rows(texts).isEmpty)
    }

    @Test func moreThanATableHasRowsIsLeftOutAndSaid() throws {
        var server = FakeServer()
        for number in 0..<1_100 { server.hub("Hub \(number)", in: "e", host: "a.example") }
        server.records["a.example"] = [(RecordType.a, [10, 0, 0, 1])]
        var search = try search("e")
        let sightings = run(&search) { server.answer($0) }
        #expect(sightings.count + search.unresolved.count == DomainSearch.maximumInstances)
        #expect(search.isIncomplete)
        var truncated = try self.search()
        var small = FakeServer()
        small.hub("Hub", in: "home.example", host: "a.example")
        _ = run(&truncated) { small.answer($0, truncated: $0.kind == .ptr) }
        #expect(truncated.isIncomplete)
    }

    /// A server that wants to do harm: records of any type for any name that it was asked for or has named,
    /// aliases in circles, answers that are cut off, empty or noise. The oracle counts questions and hubs
    /// apart from the search.
    @Test(arguments: 0..<200)
    func survivesAHostileServer(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        let names = (0..<12).map { "n\($0).example" }
        var announced: Set<String> = []
        var search = try search(types: ["_hestia._tcp", "_other._tcp"])
        let sightings = run(&search) { question in
            switch Int.random(in: 0..<12, using: &random) {
            case 0: return .nothing
            case 1: return .failure(.timedOut)
            case 2:
                return .message(
                    (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                        .random(in: 0...255, using: &random)
                    })
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
                if type == 12 || type == 5 { announced.insert(DNSName(labels: Self.labels(target)).text) }
                message.record(FakeServer.name(owner), type, class: [0, 1], data)
            }
            return .message(message.bytes)
        }
        var told: Set<ServiceInstance> = []
        for sighting in sightings {
            switch sighting {
            case .found(let service, by: .announced):
                #expect(told.insert(service.instance).inserted)
                #expect(announced.contains("\(service.instance.name).\(service.instance.service)"))
            case .changed(_, let host, let interface):
                #expect(interface == .none && host.utf8.count <= 1_014)
            default: Issue.record("\(sighting)")
            }
        }
        for lost in search.unresolved { #expect(told.insert(lost.instance).inserted) }
        #expect(told.count <= DomainSearch.maximumInstances)
        _ = rows(sightings)
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
