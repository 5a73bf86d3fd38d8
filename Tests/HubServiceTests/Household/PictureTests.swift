import Addresses
import FoundationEssentials
import GatewayRules
import Household
import Logging
import Pairing
import Testing

@testable import House
@testable import HubService

/// Where pictures of cameras may come from, and what one is.
@Suite struct PictureTests {
    @Test(arguments: ["/cameras/door.jpg", "/snap?cam=1&width=640", "/", "/hub/pair"])
    func aPathIsOneOfTheServerBehindTheHub(text: String) throws {
        #expect(try PictureAddress(text) == .upstream(text))
    }

    @Test(
        arguments: [
            ("http://192.168.1.30/snapshot.jpg", false, "192.168.1.30", 80, "/snapshot.jpg"),
            ("HTTPS://Cam.lan", true, "cam.lan", 443, "/"),
            ("http://cam:8080?x=1", false, "cam", 8080, "/?x=1"),
            ("http://[fd00::5]:81/a", false, "[fd00::5]", 81, "/a"),
            ("http://100.64.0.9/a", false, "100.64.0.9", 80, "/a"),
        ] as [(String, Bool, String, UInt16, String)])
    func anAddressLeadsHome(text: String, isSecure: Bool, host: String, port: UInt16, target: String) throws {
        guard case .camera(let camera) = try PictureAddress(text) else {
            Issue.record("no camera")
            return
        }
        #expect(
            camera.isSecure == isSecure && camera.host.description == host && camera.port == port
                && camera.target == target && camera.user == nil)
    }

    @Test func aPasswordIsDecoded() throws {
        guard case .camera(let camera) = try PictureAddress("http://view:p%40ss@10.0.0.2/x") else {
            Issue.record("no camera")
            return
        }
        #expect(camera.user == Array("view:p@ss".utf8) && camera.authority == "10.0.0.2")
    }

    @Test(arguments: [
        "", "cam", "//10.0.0.1/x", "/hubpair/gate/file/hub", "/Hubpair", "/a#b", "/a\\b", "/a b", "/ä",
        "ftp://10.0.0.1/", "http://", "http:///x", "http://127.0.0.1/", "http://[::1]/", "http://0.0.0.0/",
        "http://169.254.169.254/", "http://[fe80::1]/", "http://224.0.0.1/", "http://255.255.255.255/",
        "http://8.8.8.8/", "http://[2001:db8::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:10.0.0.1]/",
        "http://2130706433/", "http://127.1/", "http://cam:0/", "http://cam:99999/",
        "http://cam:8a/", "http://[10.0.0.1/", "http://cam..lan/", "file:///etc/passwd",
        "http://10.0.0.1@127.0.0.1/",
    ])
    func anythingElseIsNoAddress(text: String) {
        #expect(throws: PictureAddress.Fault.self) { try PictureAddress(text) }
    }

    @Test(arguments: [
        "127.0.0.1", "::1", "169.254.1.1", "0.0.0.0", "::", "1.1.1.1", "fe80::1", "224.0.0.251",
    ])
    func aNameMayNotLeadThere(text: String) throws {
        #expect(try !PictureAddress.Camera.allows(#require(NetworkAddress(text))))
    }

    @Test func aPictureIsWhatItsBytesAre() throws {
        #expect(try Picture([0xFF, 0xD8, 0xFF, 0xE0]).type == .jpeg)
        #expect(try Picture([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).type == .png)
        #expect(try Picture(Array("GIF89a".utf8)).type == .gif)
        #expect(try Picture(Array("RIFF\u{1}\u{0}\u{0}\u{0}WEBP".utf8)).type == .webp)
        for text in ["", "GIF", "<svg xmlns=", "<!doctype html>", "RIFF\u{1}\u{0}\u{0}\u{0}WAVE", "%PDF-1.7"]
        {
            #expect(throws: PictureFault.noPicture) { try Picture(Array(text.utf8)) }
        }
    }

    @Test(arguments: [
        #"{"url":""}"#, #"{"url":7}"#, "{}", #"{"url":"ftp://x/"}"#, #"{"url":"/a b"}"#, #"{"url":"/a\n"}"#,
    ])
    func whatCannotBeKept(body: String) {
        #expect(throws: HouseholdError.self) { try DevicePicture(id: "6b", body: Array(body.utf8)) }
    }

    @Test func itStandsInTheRooms() throws {
        var rooms = Rooms()
        try rooms.put(DevicePicture(id: "6b", body: Array(#"{"url":"http://10.0.0.2/x"}"#.utf8)))
        let again = try Rooms(parsing: rooms.serialized)
        #expect(again.pictures.map(\.url) == ["http://10.0.0.2/x"])
        let long = "/" + String(repeating: "x", count: DevicePicture.maximumByteCount)
        #expect(throws: HouseholdError.self) {
            try DevicePicture(id: "6b", body: Array(#"{"url":"\#(long)"}"#.utf8))
        }
    }

    /// The newest stay: as many, and as many bytes.
    @Test func alarmsKeepTheLast() async throws {
        let directory =
            FileManager.default.temporaryDirectory.path() + "hubpair-pictures-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let state = HubState(option: directory, environment: [:], isRoot: false, home: "/")
        _ = try SetUpHub(.init(), defaultName: PeerName("Kitchen"), state: state).run()
        let log = ServeLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let database = HouseholdDatabase(state: state, log: log)
        let store = PictureStore(database)
        let small = try Picture([0xFF, 0xD8, 0xFF, 1])
        for id in 1...Int64(103) { try await store.put(small, of: id) }
        #expect(try await store.messages() == Array(4...103))
        #expect(try await store.picture(of: 103) == small)
        #expect(try await store.picture(of: 3) == nil)
        let large = try Picture(
            [0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: Picture.maximumByteCount - 3))
        for id in Int64(104)...112 { try await store.put(large, of: id) }
        #expect(try await store.messages() == Array(105...112))
        await database.close()
    }

    /// An alarm has one chance, and a person comes again.
    @Test(.timeLimit(.minutes(5))) func anAlarmWaitsForItsCamera() async throws {
        let cameras = Cameras()
        let pictures = Pictures(
            find: { try DevicePicture(id: $0, body: Array(#"{"url":"/\#($0)"}"#.utf8)) },
            ask: { place async throws(PictureFault) in try await cameras.ask(place.url) })
        let asked = ["a", "b", "c", "d"].map { id in Task { try await pictures.picture(of: id) } }
        while await cameras.open < 4 { await Task.yield() }
        await #expect(throws: PictureFault.busy) { try await pictures.picture(of: "e") }
        let alarm = Task { try await pictures.picture(of: "e", waits: true) }
        while await pictures.waiting == 0 { await Task.yield() }
        #expect(await cameras.asked == ["/a", "/b", "/c", "/d"])
        // Also one without a picture makes room.
        await cameras.answer(all: .failure(.tooSlow))
        for each in asked { await #expect(throws: PictureFault.tooSlow) { try await each.value } }
        while await cameras.open < 1 { await Task.yield() }
        #expect(await cameras.asked == ["/a", "/b", "/c", "/d", "/e"])
        let picture = try Picture([0xFF, 0xD8, 0xFF, 1])
        await cameras.answer(all: .success(picture))
        #expect(try await alarm.value == picture)
        #expect(await pictures.waiting == 0)
    }
}

/// Cameras that answer when the test says so.
private actor Cameras {
    private var waiting: [CheckedContinuation<Result<Picture, PictureFault>, Never>] = []
    private(set) var asked: Set<String> = []

    var open: Int { waiting.count }

    func ask(_ url: String) async throws(PictureFault) -> Picture {
        asked.insert(url)
        return try await withCheckedContinuation { waiting.append($0) }.get()
    }

    func answer(all result: Result<Picture, PictureFault>) {
        for each in waiting { each.resume(returning: result) }
        waiting = []
    }
}
