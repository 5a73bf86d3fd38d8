import GatewayRules
import JSON
import Pairing

/// What the journal tells of a request to the upstream that may change something: told once, when it is
/// answered, or when no answer will come. What the upstream refuses (4xx) is not told.
struct NotedRequest {
    /// An order's body is `{"state": …}`.
    private static let maximumBodyByteCount = 256

    private let head: RequestHead
    private var body: [UInt8] = []
    private var isTold = false

    /// Nil for a request that only reads.
    init?(_ head: RequestHead) {
        guard head.mayChangeStates || head.upgrade != nil else { return nil }
        self.head = head
    }

    mutating func take(_ bytes: some Sequence<UInt8>) {
        guard body.count <= NotedRequest.maximumBodyByteCount else { return }
        body.append(contentsOf: bytes.prefix(NotedRequest.maximumBodyByteCount + 1 - body.count))
    }

    /// - Parameter status: of the upstream's answer; nil if there is none.
    mutating func tell(_ journal: OrderJournal, status: Int?, by device: ApprovedDevice) {
        guard !isTold else { return }
        isTold = true
        if let status, (400..<500).contains(status) { return }
        let author = JournalEntry.Author(device, through: head.isFromBrowser ? .page : .gate)
        if RequestKind(head) == .switching, let ids = RequestKind.activator(in: head.target.utf8) {
            let isWhole = body.count <= NotedRequest.maximumBodyByteCount
            let state = isWhole ? JSONValue(parsing: body)?.asObject?["state"] : nil
            return journal.noteOrder(ids.appliance, ids.activator, state: state, by: author)
        }
        // Without the query, which may contain secrets.
        var fact = JournalEntry.Fact(.request)
        fact.what = shortened("\(head.method) \(head.path)")
        journal.note(fact, by: author, through: author.door)
    }
}
