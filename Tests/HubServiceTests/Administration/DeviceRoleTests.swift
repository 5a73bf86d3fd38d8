import FoundationEssentials
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// Roles that the owner gives, and what becomes of what is open.
@Suite struct DeviceRoleTests {
    private static let socket =
        "GET /socket HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    private static let put = "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n"

    private func selector(_ identity: TLSIdentity) -> PeerSelector {
        PeerSelector("\(identity.pin.fingerprint)")
    }

    @Test func whoGetsARole() async throws {
        try await HubInTest.run(hasUpstream: false) { hub in
            let owner = AdministerDevices(state: hub.state)
            let device = selector(hub.device)
            #expect(try !owner.give(.member, to: device).changed)  // as it is, without a word
            let (guest, changed) = try owner.give(.guest, to: device)
            #expect(changed && guest.role == "guest")
            #expect(try !owner.give(.guest, to: device).changed)
            #expect(try owner.rename(device, to: PeerName("Tablet")).device.role == "guest")
            #expect(try owner.approve(device).device.role == "guest")
            #expect(try owner.approve(device, role: .owner).device.role == "owner")
            #expect(try owner.approve(device, end: .after(60)).device.role == "owner")

            let asking = TLSIdentity.random()
            try hub.enter(asking, name: "Asks", .pending)
            #expect(throws: HubError.roleOfAsking(asking.pin.fingerprint, .owner)) {
                try owner.give(.owner, to: PeerSelector("Asks"))
            }
            let approved = try owner.approve(selector(asking), role: .guest).device
            #expect(approved.status == .approved && approved.knownRole == .guest)

            _ = try owner.revoke(device)
            #expect(throws: HubError.roleOfRevoked(name: "Tablet", .member)) {
                try owner.give(.member, to: device)
            }
            #expect(throws: HubError.revoked(name: "Tablet")) { try owner.approve(device, role: .guest) }
        }
    }

    @Test func aGuestsRoleEndsWhatItMayNotHaveOpen() async throws {
        try await HubInTest.run { hub in
            let owner = AdministerDevices(state: hub.state)
            func open(_ request: String) async throws -> (client: RawPeer, peer: RawPeer) {
                let client = try await hub.connect(as: hub.device)
                try await client.write(request)
                let peer = try await hub.upstream.accept()
                #expect(try await peer.read(until: "\r\n\r\n").contains("X-Hubpair-Role: member\r\n"))
                return (client, peer)
            }
            let tunnel = try await open(Self.socket)
            try await tunnel.peer.write("HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            _ = try await tunnel.client.read(until: "\r\n\r\n")
            let body = try await open(Self.put)
            let stream = try await open("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
            try await stream.peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
            _ = try await stream.client.read(until: "\r\nx\r\n")
            let order = try await open(
                "POST /devices/1/activators/2 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")

            _ = try owner.give(.guest, to: selector(hub.device))
            // Nobody knows whether guests may set that appliance.
            for peer in [tunnel.client, tunnel.peer, body.client, body.peer, order.client, order.peer] {
                #expect(try await peer.rest() == "")
            }
            // What a guest may do goes on.
            try await stream.peer.write("1\r\ny\r\n0\r\n\r\n")
            _ = try await stream.client.read(until: "0\r\n\r\n")

            // On the connection that is kept.
            try await stream.client.write(Self.put + "12345")
            let (head, text) = try await stream.client.response()
            #expect(head.hasPrefix("HTTP/1.1 403 ") && text.contains("\"not_allowed\""))
            #expect(try await hub.ask(Self.socket).head.hasPrefix("HTTP/1.1 403 "))
            #expect(hub.log.text.contains("its role no longer allows it"))
        }
    }

    @Test func aWordThatIsNoRoleEndsEverything() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try hub.state.open().withLock { directory in
                var devices = try #require(try HubState.devices(in: directory))
                var device = try #require(devices.devices.first)
                device.role = "king"
                devices.insert(device)
                try directory.replace(ApprovedDevices.fileName, with: devices.serialized)
            }
            #expect(try await client.rest() == "")
            for path in ["/", "/hubpair/v1/device", "/hubpair/v1/verify"] {
                let (head, body) = try await hub.ask("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(head.hasPrefix("HTTP/1.1 403 ") && body.contains("\"role_unknown\""), "\(path)")
            }
        }
    }
}
