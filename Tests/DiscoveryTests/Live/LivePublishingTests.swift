import Crypto
import Glibc
import Testing

@testable import Discovery

typealias PublisherEvents = EventLog<HubPublisher.Event>

extension PublisherEvents {
    /// What becomes of the service. By which names the machine is known comes between, as the daemon tells
    /// it, and Tests/CLI/serve/names shows it with two daemons.
    func addService(_ event: HubPublisher.Event) {
        if case .hosts = event { return }
        add(event)
    }
}

/// Runs `body` while a hub is announced, from the first time that it is on the network, and waits for its
/// end.
func publishing<Result>(
    _ publisher: HubPublisher, _ body: (PublisherEvents) async throws -> Result
) async throws -> Result {
    let events = PublisherEvents()
    let task = Task { await publisher.run { events.addService($0) } }
    do {
        try await events.wait { $0.contains { if case .published = $0 { true } else { false } } }
        let result = try await body(events)
        task.cancel()
        await task.value
        return result
    } catch {
        task.cancel()
        await task.value
        throw error
    }
}

func announcement(_ name: String, type: String, port: UInt16 = 8123) throws -> HubAnnouncement {
    let pin = try #require(Pin(bytes: (0..<32).map { UInt8($0) }))
    return HubAnnouncement(name: try PeerName(name), port: port, id: pin.fingerprint, serviceType: type)
}

extension LiveBrowsing {
    /// What we publish, as strangers see it.
    @Suite struct Publishing {
        private func publisher(
            _ name: String, type: String, port: UInt16 = 8123, usesDaemon: Bool = true
        ) throws -> HubPublisher {
            _ = try Lab.directory()
            return try HubPublisher(announcement(name, type: type, port: port), usesDaemon: usesDaemon)
        }

        private let strangerBrowser =
            #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
            + "/Strangers/zeroconf-browse"

        /// What a command prints on standard output.
        private func output(_ command: String) throws -> String {
            let file = try Lab.directory() + "/output"
            try Lab.run(["sh", "-c", "\(command) >\(file)"])
            guard let stream = fopen(file, "r") else { throw Lab.Failure(description: "no output") }
            defer { fclose(stream) }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = fread(&bytes, 1, bytes.count, stream)
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }

        @Test func avahiBrowseSeesWhatTheDaemonPublishes() async throws {
            let type = "_hp-pub._tcp"
            try await publishing(publisher("Anna's hub; ü", type: type)) { events in
                #expect(events.all == [.published(name: "Anna's hub; ü", by: .daemon)])
                let lines = try output("avahi-browse -rpt \(type)").split(separator: "\n")
                let line = try #require(lines.first { $0.hasPrefix("=;lan0;IPv4;") }, "\(lines)")
                let fields = line.split(separator: ";", omittingEmptySubsequences: false)
                #expect(fields[3] == #"Anna\039s\032hub\059\032\195\188"#)
                #expect(fields[6...8] == ["lab.local", "192.168.77.1", "8123"])
                let strings = Set(fields[9].split(separator: "\"").filter { $0 != " " }.map(String.init))
                #expect(strings == ["api_level=0.7", "id=000G-40R4-0M30-E209", "hubpair=1"])
            }
        }

        @Test func theRecordHasItsOrder() async throws {
            let type = "_hp-order._tcp"
            let seen = try await publishing(publisher("Hub", type: type)) { _ in
                try await sightings(of: type) { !$0.hubs.isEmpty }
            }
            let txt = try #require(seen.hubs.first).txt
            #expect(txt.entries.map(\.key) == ["api_level", "id", "hubpair"])
            #expect(txt.fingerprint == (try announcement("Hub", type: type)).id)
        }

        @Test func itsEndIsAGoodbye() async throws {
            let type = "_hp-end._tcp"
            let events = PublisherEvents()
            let publisher = try publisher("Hub", type: type)
            let task = Task { await publisher.run { events.addService($0) } }
            let seen = try await sightings(of: type) { seen in
                if seen.hubs.first?.addresses.count == 5 { task.cancel() }
                return seen.contains(where: \.isGone) && seen.hubs.isEmpty
            }
            #expect(seen.contains { $0.isGone })
            await task.value
        }

        @Test func aTakenNameIsReplaced() async throws {
            let type = "_hp-taken._tcp"
            let stranger = try Program.announcing("Hub", type: type)
            defer { stranger.stop() }
            _ = try await sightings(of: type) { !$0.hubs.isEmpty }
            try await publishing(publisher("Hub", type: type)) { events in
                #expect(
                    events.all == [
                        .renamed(from: "Hub", to: "Hub #2"), .published(name: "Hub #2", by: .daemon),
                    ])
                let seen = try await sightings(of: type) { Set($0.hubs.map(\.name)) == ["Hub", "Hub #2"] }
                #expect(seen.hubs.count == 2)
            }
        }

        @Test func aNameThatAnotherHostHasIsReplaced() async throws {
            let type = "_hp-taken2._tcp"
            let other = try SecondHost()
            let first = try other.within { try publisher("Hub", type: type, usesDaemon: false) }
            try await publishing(first) { _ in
                try await publishing(publisher("Hub", type: type)) { events in
                    #expect(events.all.last == .published(name: "Hub #2", by: .daemon))
                }
            }
        }

        @Test func anotherHostWithoutADaemonPublishesAndBrowses() async throws {
            let type = "_hp-embedded._tcp"
            let other = try SecondHost()
            let far = try other.within { try publisher("Far hub", type: type, usesDaemon: false) }
            let near = try publisher("Near hub", type: type)
            try await publishing(far) { events in
                #expect(events.all == [.published(name: "Far hub", by: .embedded)])
                try await publishing(near) { _ in
                    // From here, through the daemon.
                    let seen = try await sightings(of: type) { seen in
                        seen.hubs.contains {
                            $0.name == "Far hub" && $0.addresses.contains { $0.description == "192.168.79.2" }
                        }
                    }
                    let hub = try #require(seen.hubs.first { $0.name == "Far hub" })
                    #expect(hub.host == "hubpair-000g40r4.local")
                    #expect(hub.addresses.contains { $0.description == "192.168.79.2" })
                    #expect(hub.txt.entries.map(\.key) == ["api_level", "id", "hubpair"])
                    // From there, without one.
                    let search = Task {
                        var iterator = try other.within {
                            HubBrowser(serviceType: type, through: .embedded).sightings.makeAsyncIterator()
                        }
                        var found: [Sighting] = []
                        while let sighting = try await iterator.next() {
                            found.append(sighting)
                            let near = found.hubs.first { $0.name == "Near hub" }
                            let isThere = near?.addresses.contains { $0.description == "192.168.79.1" }
                            if isThere == true, found.hubs.count == 2, found.isSettled { break }
                        }
                        return found
                    }
                    let limit = Task {
                        try await Task.sleep(for: .seconds(200))
                        search.cancel()
                    }
                    defer { limit.cancel() }
                    let found = try await search.value
                    #expect(Set(found.hubs.map(\.name)) == ["Far hub", "Near hub"])
                    let near = try #require(found.hubs.first { $0.name == "Near hub" })
                    #expect(near.addresses.map(\.description).contains("192.168.79.1"))
                    #expect(found.isSettled)
                }
            }
            // The ends were goodbyes, the other host's too: no cache keeps the services until they run out.
            let after = try await sightings(of: type) { $0.isSettled }
            #expect(after.hubs.isEmpty)
            withExtendedLifetime(other) {}  // the cable was still there
        }

        @Test func zeroconfSeesTheEmbeddedStack() async throws {
            let type = "_hp-python._tcp"
            let other = try SecondHost()
            try await publishing(other.within { try publisher("Hub", type: type, usesDaemon: false) }) { _ in
                let text = try output("/usr/bin/python3 \(strangerBrowser) \(type)")
                #expect(
                    text == """
                        Hub.\(type).local. hubpair-000g40r4.local. 8123 192.168.79.2 \
                        api_level=0.7 hubpair=1 id=000G-40R4-0M30-E209

                        """)
            }
        }

        @Test func zeroconfSeesWhatTheDaemonPublishes() async throws {
            let type = "_hp-python2._tcp"
            try await publishing(publisher("Hub", type: type)) { _ in
                let text = try output("/usr/bin/python3 \(strangerBrowser) \(type) 192.168.77.1")
                #expect(
                    text == """
                        Hub.\(type).local. lab.local. 8123 192.168.77.1 \
                        api_level=0.7 hubpair=1 id=000G-40R4-0M30-E209

                        """)
            }
        }

        @Test func theDaemonDiesAndTheServiceLivesOn() async throws {
            let type = "_hp-move._tcp"
            try await publishing(publisher("Hub", type: type)) { events in
                try Lab.killDaemon()
                try await events.wait { $0.last == .published(name: "Hub", by: .embedded) }
                #expect(
                    events.all == [
                        .published(name: "Hub", by: .daemon), .daemonLost(.daemonLost),
                        .published(name: "Hub", by: .embedded),
                    ])
                try Lab.startDaemon()
                try await events.wait { $0.last == .published(name: "Hub", by: .daemon) }
                // The daemon kept its own name, and the service its: neither met ours.
                #expect(events.all.count == 4)
                let seen = try await sightings(of: type) { $0.hubs.contains { $0.host == "lab.local" } }
                #expect(Set(seen.hubs.filter { $0.host == "lab.local" }.map(\.name)) == ["Hub"])
            }
        }

        @Test func aDaemonThatIsRestartedAtOnceIsUsedAgain() async throws {
            let type = "_hp-restart._tcp"
            for _ in 1...5 {
                let (events, time) = try await publishing(publisher("Hub", type: type)) { events in
                    let start = ContinuousClock.now
                    try Lab.killDaemon()
                    try Lab.startDaemon()
                    let time = ContinuousClock.now - start
                    try await events.wait { $0.count >= 3 }
                    return (events.all, time)
                }
                // On a busy machine "at once" may be too late.
                guard time < HubPublisher.restartGrace / 2 else { continue }
                #expect(
                    events == [
                        .published(name: "Hub", by: .daemon), .daemonLost(.daemonLost),
                        .published(name: "Hub", by: .daemon),
                    ])
                return
            }
            Issue.record("the daemon took too long each time: then this test tells nothing")
        }

        @Test func withoutADaemonItPublishesByItselfUntilThereIsOne() async throws {
            let publisher = try publisher("Hub", type: "_hp-late._tcp")
            try Lab.killDaemon()
            try await publishing(publisher) { events in
                #expect(events.all == [.published(name: "Hub", by: .embedded)])
                try Lab.startDaemon()
                try await events.wait { $0.count >= 2 }
                #expect(events.all.last == .published(name: "Hub", by: .daemon))
            }
        }

        // In a process of its own: libdbus reads the variable only once.
        @Test func withoutABusItPublishesByItself() async throws {
            _ = try Lab.directory()
            await #expect(processExitsWith: .success) {
                setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
                let events = PublisherEvents()
                let publisher = try HubPublisher(announcement("Hub", type: "_hp-nobus._tcp"))
                let task = Task { await publisher.run { events.addService($0) } }
                try await events.wait { !$0.isEmpty }
                task.cancel()
                await task.value
                #expect(events.all == [.published(name: "Hub", by: .embedded)])
            }
        }
    }
}
