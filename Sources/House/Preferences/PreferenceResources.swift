import GatewayRules
import Household
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing

/// What a device wants its page to be like: `GET preferences`, `PUT preferences`. An object whose members are
/// the page's own business (its favourites); each device has one, and reads no other.
struct PreferenceResources: HubResources {
    /// A thousand favourites are more than a screen shows.
    private static let maximumByteCount = 32_768

    let database: HouseholdDatabase
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: "the preferences") {
            let device = request.device.fingerprint.description
            guard request.method == "PUT" else {
                let text = try await database.use { connection throws(DatabaseError) in
                    try connection.text("SELECT value FROM preferences WHERE device = ?", [.text(device)])
                }
                return .json(text.flatMap { JSONValue(parsing: Array($0.utf8)) } ?? .object([:]))
            }
            let value = try? JSONReader.read(JSONValue.self, from: request.body, duplicateKeys: .refused)
            guard let value, value.asObject != nil else {
                throw HouseholdError.badBody("the body is not a JSON object")
            }
            let text = value.text
            guard text.utf8.count <= PreferenceResources.maximumByteCount else {
                throw HouseholdError.badBody("more than \(PreferenceResources.maximumByteCount) bytes")
            }
            try await database.use { connection throws(DatabaseError) in
                try connection.run(
                    "INSERT OR REPLACE INTO preferences VALUES (?, ?)", [.text(device), .text(text)])
            }
            return .json(value)
        }
    }
}
