import FoundationEssentials
import Identity
import Testing

@testable import Pairing

/// Roles in the hub's files: what a word means, and what a code makes of it.
@Suite struct RoleTests {
    private static let now = Date(timeIntervalSince1970: 1_795_256_523)
    private let pin = Pin(subjectPublicKeyInfo: Data([1]))
    private let hub = Pin(subjectPublicKeyInfo: Data([2]))

    private func device(
        _ status: ApprovedDevice.Status, role: String?, expires: Date? = nil
    ) throws -> ApprovedDevice {
        ApprovedDevice(name: try PeerName("Tablet"), pin: pin, status: status, expires: expires, role: role)
    }

    @Test(
        arguments: [
            (nil, Role.member), ("owner", .owner), ("member", .member), ("guest", .guest), ("", nil),
            ("Guest", nil),
            ("guest ", nil), ("admin", nil), ("gu\u{200B}est", nil),
        ] as [(String?, Role?)])
    func aWordIsARoleOrLetsNobodyIn(word: String?, role: Role?) throws {
        var devices = ApprovedDevices()
        devices.insert(try device(.approved, role: word))
        let read = try ApprovedDevices(parsing: devices.serialized)
        #expect(read.devices.map(\.role) == [word] && read.devices.first?.knownRole == role)
        #expect(read.verdict(for: pin, at: Self.now) == (role == nil ? .unknownRole : .approved))
    }

    /// What is out anyway is told why.
    @Test func anUnknownRoleComesAfterTheOtherReasons() throws {
        #expect(try device(.revoked, role: "x").verdict(at: Self.now) == .revoked)
        #expect(try device(.pending, role: "x").verdict(at: Self.now) == .pending)
        let over = try device(.approved, role: "x", expires: Self.now)
        #expect(over.verdict(at: Self.now) == .expired(since: Self.now))
        #expect(try device(.approved, role: "x").verdict(at: Self.now) == .unknownRole)
    }

    @Test func twoRolesRefuseTheFile() throws {
        var devices = ApprovedDevices()
        devices.insert(try device(.approved, role: "guest"))
        let text = String(decoding: devices.serialized, as: UTF8.self)
        #expect(throws: KeyFileError.self) {
            try ApprovedDevices(parsing: Array((text + "role=owner\n").utf8))
        }
    }

    /// The known device (nil: none), the code's word, and what the device has then.
    @Test(
        arguments: [
            (nil, nil, nil, nil), (nil, nil, "guest", "guest"), (nil, nil, "owner", "owner"),
            (nil, nil, "x", "x"),
            (.approved, "guest", nil, "guest"), (.approved, "owner", nil, "owner"),
            (.approved, nil, nil, nil),
            (.approved, "guest", "owner", "owner"), (.approved, "owner", "guest", "guest"),
            (.approved, "x", nil, "x"), (.approved, "x", "member", "member"),
            (.revoked, "owner", nil, nil), (.revoked, "guest", nil, "guest"),
            (.revoked, "owner", "owner", "owner"),
            (.revoked, "x", nil, "x"), (.pending, "owner", nil, nil), (.pending, nil, "guest", "guest"),
        ] as [(ApprovedDevice.Status?, String?, String?, String?)])
    func aCodeForOneDevice(status: ApprovedDevice.Status?, known: String?, ticket: String?, expected: String?)
        throws
    {
        var devices = ApprovedDevices()
        if let status { devices.insert(try device(status, role: known)) }
        try pair(.once, role: ticket, &devices)
        #expect(devices.device(pin)?.status == .approved && devices.device(pin)?.role == expected)
    }

    @Test func anOwnerWhoseTimeIsOverIsAMemberWithAnOrdinaryCode() throws {
        var devices = ApprovedDevices()
        devices.insert(try device(.approved, role: "owner", expires: Self.now))
        try pair(.once, role: nil, &devices)
        #expect(devices.device(pin)?.knownRole == .member && devices.device(pin)?.expires == nil)
    }

    @Test func aLabelGivesNoRole() throws {
        var devices = ApprovedDevices()
        try pair(.label, role: "owner", &devices)
        #expect(devices.device(pin)?.status == .pending && devices.device(pin)?.role == nil)
    }

    /// Lets the device use a code, with the word as a file would have it.
    private func pair(_ kind: PairingCode.Kind, role: String?, _ devices: inout ApprovedDevices) throws {
        let moment = Moment(wall: Self.now)
        let code = try PairingCode(
            kind: kind, expires: Self.now.addingTimeInterval(600), secret: .random(), hub: hub,
            addressHint: nil)
        var tickets = Tickets()
        tickets.issue(Ticket(of: code, issued: moment, role: role.flatMap(Role.init(rawValue:))), at: moment)
        if kind == .label { #expect(tickets.tickets.map(\.role) == [nil]) }
        if let role, Role(rawValue: role) == nil {
            // By hand, or by a newer version.
            let text = String(decoding: tickets.serialized, as: UTF8.self)
            tickets = try Tickets(parsing: Array((text + "role=\(role)\n").utf8))
        }
        let attempt = PairAttempt(
            secret: code.secret, name: try PeerName("Tablet"), nonce: .random(), device: pin)
        tickets.enter(
            TicketUse(attempt.request(to: hub), by: pin, number: 1, hubNonce: .random(), used: moment))
        // As another process reads it, or this one after a crash.
        #expect(devices.complete(try Tickets(parsing: tickets.serialized)) == [pin])
        devices = try ApprovedDevices(parsing: devices.serialized)
    }

    @Test func aHubTellsADeviceItsRole() throws {
        let guest = try device(.approved, role: "guest")
        let told = try #require(DeviceDescription(guest, verdict: .approved))
        #expect(try DeviceDescription(parsing: told.serialized) == told && told.role == .guest)
        #expect(DeviceDescription(guest, verdict: .revoked)?.role == nil)
        #expect(DeviceDescription(guest, verdict: .unknownRole) == nil)
        // Of a hub before, or one to come.
        for more in ["", #","role":"king""#] {
            let text = #"{"status":"approved","device":"\#(guest.fingerprint)","name":"Tablet"\#(more)}"#
            #expect(try DeviceDescription(parsing: Array(text.utf8)).role == nil)
        }
    }
}
