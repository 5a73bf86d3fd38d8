import Household
import HubService
import Identity
import Synchronization

/// Keeps with each alarm what the camera of its appliance has seen then. The message is told first: nobody
/// waits for a camera to hear of an alarm.
final class AlarmPictures: Sendable {
    /// The most alarms whose cameras are asked at a time; of others there is no picture.
    private static let maximumWaiting = 100

    private let store: PictureStore
    private let pictures: Pictures
    private let log: ServeLog
    private let taking = Mutex<[Int64: Task<Void, Never>]>([:])

    init(_ store: PictureStore, _ pictures: Pictures, log: ServeLog) {
        (self.store, self.pictures, self.log) = (store, pictures, log)
    }

    /// Messages that are on disk now. One that has happened again keeps the picture of the first time.
    func take(_ messages: [Message]) {
        for message in messages where message.draft.kind == .alarm && message.repeats == nil {
            guard let device = message.draft.device else { continue }
            taking.withLock { taking in
                guard taking.count < AlarmPictures.maximumWaiting else { return }
                taking[message.id] = Task { await keep(device, message.id) }
            }
        }
    }

    private func keep(_ device: String, _ message: Int64) async {
        do {
            try await store.put(try await pictures.picture(of: device, waits: true), of: message)
        } catch PictureFault.none {
            // Most appliances have none.
        } catch {
            log.warning(.fault, "no picture is kept with alarm \(message): \(describing(error))")
        }
        taking.withLock { $0[message] = nil }
    }

    /// The picture of a message, once it is there; nil if it has none.
    func picture(of message: Int64) async throws -> Picture? {
        await taking.withLock { $0[message] }?.value
        return try await store.picture(of: message)
    }

    func messages() async throws -> [Int64] { try await store.messages() }
}
