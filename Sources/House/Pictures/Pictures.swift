import GatewayRules
import Household
import HubService

/// What the cameras of the house see now. However many watch one, it is asked once at a time.
actor Pictures {
    /// The most cameras that are asked at a time: each picture is held in memory.
    private static let maximumAtOnce = 4

    /// Asks one camera, or the server behind the hub.
    typealias Ask = @Sendable (DevicePicture) async throws(PictureFault) -> Picture

    private let find: @Sendable (String) async throws -> DevicePicture?
    private let ask: Ask
    private var running: [DevicePicture: Task<Result<Picture, PictureFault>, Never>] = [:]

    /// How many alarms wait for another picture to come.
    private(set) var waiting = 0

    init(_ rooms: HouseholdStore<Rooms>, _ calls: GateCalls) {
        let client = CameraClient()
        self.init(
            find: { try await rooms.read().record(DevicePicture.self, $0) },
            ask: { place async throws(PictureFault) in try await fetch(place, calls, client) })
    }

    /// - Parameter find: where the picture of an appliance comes from; nil if it has none.
    init(find: @escaping @Sendable (String) async throws -> DevicePicture?, ask: @escaping Ask) {
        (self.find, self.ask) = (find, ask)
    }

    /// The picture of an appliance, as it is now.
    ///
    /// - Parameter waits: whether it is asked for later, if as many are asked for already: an alarm has one
    ///   chance, a person comes again.
    func picture(of device: String, waits: Bool = false) async throws -> Picture {
        guard let place = try await find(device) else { throw PictureFault.none }
        while running[place] == nil, running.count >= Pictures.maximumAtOnce {
            guard waits, let other = running.values.first else { throw PictureFault.busy }
            waiting += 1
            _ = await other.value
            waiting -= 1
        }
        if let task = running[place] { return try await task.value.get() }
        let task = Task { [ask] in
            let result = await Result { () async throws(PictureFault) in try await ask(place) }
            // Before anybody who waits for it goes on.
            running[place] = nil
            return result
        }
        running[place] = task
        return try await task.value.get()
    }
}

private func fetch(
    _ place: DevicePicture, _ calls: GateCalls, _ client: CameraClient
) async throws(PictureFault) -> Picture {
    let address: PictureAddress
    do throws(PictureAddress.Fault) {
        address = try PictureAddress(place.url)
    } catch {
        throw .badAddress(error.description)
    }
    switch address {
    case .camera(let camera): return try await client.picture(at: camera)
    case .upstream(let target):
        let reply: UpstreamReply
        do throws(UpstreamCallError) {
            reply = try await calls.picture(target, within: CameraClient.time)
        } catch {
            switch error {
            case .tooLarge: throw .tooLarge
            case .timeout: throw .tooSlow
            default: throw .silent(error.description)
            }
        }
        guard reply.status == 200 else { throw .status(reply.status) }
        return try Picture(reply.body)
    }
}

extension Result where Failure == PictureFault {
    fileprivate init(_ body: () async throws(PictureFault) -> Success) async {
        do throws(PictureFault) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
