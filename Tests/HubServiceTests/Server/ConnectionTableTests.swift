import Addresses
import Identity
import PinnedTLS
import Testing

@testable import HubService

/// Which connection is closed for which other one, without a socket.
@Suite struct ConnectionTableTests {
    private let limits: ServeLimits = {
        var limits = ServeLimits()
        (limits.connections, limits.connectionsPerSource) = (6, 3)
        return limits
    }()

    /// It never gives way.
    private let working: ConnectionRest = {
        let rest = ConnectionRest()
        _ = rest.begin()
        return rest
    }()

    private func source(_ text: String) throws -> SourcePrefix {
        SourcePrefix(try #require(NetworkAddress(text)))
    }

    @Test func theOldestStrangerOfAFullSourceGivesWay() throws {
        var table = ConnectionTable<Int>()
        // One /64, whichever address of it.
        for key in 1...3 {
            #expect(table.admit(key, from: try source("fd77::\(key)"), limits: limits) == .admitted)
        }
        #expect(table.admit(4, from: try source("fd77::9"), limits: limits) == .admittedFor(1, .source))
        #expect(table.admit(5, from: try source("fd77:0:0:1::1"), limits: limits) == .admitted)
        table.remove(2)
        #expect(table.admit(6, from: try source("fd77::9"), limits: limits) == .admitted)
        #expect(table.admit(7, from: try source("fd77::9"), limits: limits) == .admittedFor(3, .source))
        // What has given way counts no more, and its end is no news.
        table.remove(1)
        #expect(table.total == 4)
    }

    @Test func theOldestStrangerOfAllGivesWayWhenTheHubIsFull() throws {
        var table = ConnectionTable<Int>()
        for key in 1...6 {
            #expect(table.admit(key, from: try source("192.0.2.\(key)"), limits: limits) == .admitted)
        }
        #expect(table.admit(7, from: try source("192.0.2.7"), limits: limits) == .admittedFor(1, .total))
        // Of its own source, if that is full as well.
        for key in 8...9 {
            _ = table.admit(key, from: try source("192.0.2.7"), limits: limits)
        }
        #expect(table.admit(10, from: try source("192.0.2.7"), limits: limits) == .admittedFor(7, .source))
        #expect(table.total == 6)
    }

    @Test func anApprovedDeviceNeverGivesWay() throws {
        var table = ConnectionTable<Int>()
        let (device, other) = (TLSIdentity.random().pin, TLSIdentity.random().pin)
        let here = try source("192.0.2.1")
        for key in 1...3 {
            #expect(table.admit(key, from: here, limits: limits) == .admitted)
            #expect(approve(&table, key, device, working) == .counted)
        }
        // Its connections take none of its source's places; it has as many of its own, and no more.
        for key in 4...6 { #expect(table.admit(key, from: here, limits: limits) == .admitted) }
        #expect(approve(&table, 4, device, working) == .refused)
        #expect(approve(&table, 4, other, working) == .counted)
        #expect(approve(&table, 4, other, working) == .counted)  // once is enough
        #expect(table.admit(7, from: here, limits: limits) == .admittedFor(5, .total))
        #expect(approve(&table, 5, other, working) == .refused)  // it gave way meanwhile
        for key in 6...7 { #expect(approve(&table, key, other, working) == .counted) }
        // No connection is left that may be closed for another.
        #expect(table.admit(8, from: here, limits: limits) == .refused(.total))
        table.remove(3)
        #expect(table.admit(8, from: here, limits: limits) == .admitted)
        #expect(approve(&table, 8, device, working) == .counted)
    }

    @Test func theOldestConnectionOfADeviceThatRestsGivesWay() throws {
        var table = ConnectionTable<Int>()
        let device = TLSIdentity.random().pin
        let here = try source("192.0.2.1")
        let rests = (0...4).map { _ in ConnectionRest() }
        #expect(rests[0].begin())
        for key in 0...2 {
            #expect(table.admit(key, from: here, limits: limits) == .admitted)
            #expect(approve(&table, key, device, rests[key]) == .counted)
        }
        for key in 3...4 { #expect(table.admit(key, from: here, limits: limits) == .admitted) }
        #expect(approve(&table, 3, device, rests[3]) == .countedFor(1))
        #expect(!rests[1].begin())  // a request that comes now is not carried out
        #expect(rests[2].begin() && rests[3].begin())
        #expect(approve(&table, 4, device, rests[4]) == .refused)
        rests[0].rest()
        #expect(approve(&table, 4, device, rests[4]) == .countedFor(0))
        #expect(table.total == 3)
    }

    private func approve(
        _ table: inout ConnectionTable<Int>, _ key: Int, _ device: Pin, _ rest: ConnectionRest
    ) -> ConnectionTable<Int>.Approval {
        table.approve(key, as: device, limits: limits) { rest.leave() }
    }

    @Test func aProxyHasNoLimitOfItsOwnAndNeverGivesWay() throws {
        var table = ConnectionTable<Int>()
        for key in 1...6 { #expect(table.admit(key, from: nil, limits: limits) == .admitted) }
        #expect(approve(&table, 1, TLSIdentity.random().pin, working) == .counted)
        #expect(table.admit(7, from: try source("192.0.2.1"), limits: limits) == .refused(.total))
        for key in 1...6 { table.remove(key) }
        #expect(table.total == 0)
    }

    /// Each that gave way has its descriptor until it is closed.
    @Test func thoseThatGaveWayAreNotMoreThanSoMany() throws {
        var table = ConnectionTable<Int>()
        let here = try source("192.0.2.1")
        for key in 1...3 + ConnectionTable<Int>.maximumLeaving {
            #expect(table.admit(key, from: here, limits: limits) != .refused(.leaving))
        }
        #expect(table.admit(1000, from: here, limits: limits) == .refused(.leaving))
        #expect(table.total == 3)
        table.remove(1)
        #expect(table.admit(1000, from: here, limits: limits) != .refused(.leaving))
    }

    /// The same as a plain list of all connections would say, for a long time of comings and goings.
    @Test func theTableKeepsItsCounts() throws {
        var table = ConnectionTable<Int>()
        var generator = SystemRandomNumberGenerator()
        let sources = try (1...4).map { try source("192.0.2.\($0)") }
        let devices = (1...3).map { _ in TLSIdentity.random().pin }
        enum Owner: Equatable { case source(Int), device(Int) }
        var model: [(key: Int, owner: Owner)] = []
        var approved: [Int: [Int]] = [:]
        var (rests, idle): ([Int: ConnectionRest], Set<Int>) = ([:], [])
        for key in 0..<20_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let from = Int.random(in: 0..<4, using: &generator)
                let own = model.filter { $0.owner == .source(from) }
                let strangers = model.filter { if case .source = $0.owner { true } else { false } }
                var expected = ConnectionTable<Int>.Verdict.admitted
                if own.count >= 3 {
                    expected = .admittedFor(own[0].key, .source)
                } else if model.count >= 6 {
                    expected = strangers.first.map { .admittedFor($0.key, .total) } ?? .refused(.total)
                }
                #expect(table.admit(key, from: sources[from], limits: limits) == expected)
                if case .admittedFor(let gone, _) = expected {
                    model.removeAll { $0.key == gone }
                    table.remove(gone)
                }
                if expected != .refused(.total) { model.append((key, .source(from))) }
            case 5..<8:
                guard let index = model.indices.randomElement(using: &generator),
                    case .source = model[index].owner
                else { continue }
                let number = Int.random(in: 0..<3, using: &generator)
                let (new, rest) = (model[index].key, ConnectionRest())
                let own = approved[number, default: []]
                let resting = own.count < 3 ? nil : own.first { idle.contains($0) }
                let expected: ConnectionTable<Int>.Approval =
                    own.count < 3 ? .counted : resting.map { .countedFor($0) } ?? .refused
                let approval = table.approve(new, as: devices[number], limits: limits) { rest.leave() }
                #expect(approval == expected)
                if let resting {
                    model.removeAll { $0.key == resting }
                    approved[number]?.removeAll { $0 == resting }
                    table.remove(resting)
                    // It carries out no request any more.
                    #expect(rests[resting]?.begin() == false)
                }
                guard expected != .refused, let place = model.firstIndex(where: { $0.key == new }) else {
                    continue
                }
                model[place].owner = .device(number)
                approved[number, default: []].append(new)
                rests[new] = rest
                if Bool.random(using: &generator) { idle.insert(new) } else { #expect(rest.begin()) }
            case 8:
                // A request ends, or begins.
                guard let (key, rest) = rests.randomElement(using: &generator),
                    model.contains(where: { $0.key == key })
                else { continue }
                if idle.remove(key) == nil {
                    rest.rest()
                    idle.insert(key)
                } else {
                    #expect(rest.begin())
                }
            default:
                guard let index = model.indices.randomElement(using: &generator) else { continue }
                let gone = model.remove(at: index)
                table.remove(gone.key)
                if case .device(let number) = gone.owner { approved[number]?.removeAll { $0 == gone.key } }
            }
            #expect(table.total == model.count)
        }
    }
}
