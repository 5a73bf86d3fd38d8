package import HubService
import Identity
import Pairing

/// What the house says of its database and of keyfiles that are gone, for the doctor.
package struct DatabaseReview {
    private let state: HubState

    package init(_ state: HubState) { self.state = state }

    package var line: [UInt8] {
        get throws {
            var review = HouseReview()
            do {
                review.messages = try ReviewMessages(state).run()
            } catch {
                review.error = (describing(error), (error as? any UserError)?.hint)
            }
            review.lost = try LostFile.all(in: state.open()).map {
                HouseReview.Lost(text: $0.file.description(in: state.path), mend: $0.hint)
            }
            return review.json + [UInt8(ascii: "\n")]
        }
    }
}
