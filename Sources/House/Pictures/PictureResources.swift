import GatewayRules
import Household
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing

/// The pictures of cameras: `GET pictures`, which appliances have one and which messages; `GET
/// pictures/DEVICE`, what it sees now; `GET messages/ID/picture`, what it saw at an alarm; and for owners
/// `PUT pictures/DEVICE`, `DELETE pictures/DEVICE`.
struct PictureResources: HubResources {
    let store: HouseholdStore<Rooms>
    let pictures: Pictures
    let alarms: AlarmPictures
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: "the pictures") {
            switch (request.resource.pattern, request.method) {
            case (.picture, "PUT"), (.picture, "DELETE"):
                return try await store.change(DevicePicture.self, request) {
                    (place) throws(HouseholdError) in
                    do throws(PictureAddress.Fault) {
                        _ = try PictureAddress(place.url)
                    } catch {
                        throw .badBody(error.description)
                    }
                }
            case (.picture, _):
                do {
                    let picture = try await pictures.picture(of: request.resource.segments.first ?? "")
                    return .picture(picture)
                } catch let fault as PictureFault {
                    return .refused(fault.status, fault.word, fault.description)
                }
            case (.messagePicture, _):
                let id = request.resource.segments.first.flatMap { Int(digits: $0) }
                if let id, let picture = try await alarms.picture(of: Int64(id)) { return .picture(picture) }
                return .refused(.notFound, "not_found", "there is no picture with this message")
            default: return try await list(request)
            }
        }
    }

    /// A password may stand in an address: owners alone see it.
    private func list(_ request: ResourceRequest) async throws -> ResourceAnswer {
        let content = try await store.read()
        let isOwner = RoleTable.allows(request.device.knownRole, Capability.administer)
        let places =
            isOwner
            ? content.entries(DevicePicture.self)
            : .array(content.pictures.map { .object($0.idMembers) })
        return .object([
            "pictures": places, "messages": .array(try await alarms.messages().map(JSONValue.integer)),
        ])
    }
}

extension ResourceAnswer {
    fileprivate static func picture(_ picture: Picture) -> ResourceAnswer {
        .reply(ServeReply(picture: picture.bytes, type: picture.type.rawValue))
    }
}

extension PictureFault {
    fileprivate var status: HTTPResponseStatus {
        switch self {
        case .none: .notFound
        case .busy: .serviceUnavailable
        case .tooSlow: .gatewayTimeout
        case .badAddress, .notHome, .silent, .status, .noPicture, .tooLarge: .badGateway
        }
    }

    fileprivate var word: String {
        switch self {
        case .none: "not_found"
        case .busy: "busy"
        case .tooSlow: "camera_timeout"
        case .badAddress, .notHome, .silent, .status, .noPicture, .tooLarge: "camera_unavailable"
        }
    }
}
