import Synchronization

/// The words of texts that a house repeats, such as types and names of activators: a thousand appliances have
/// ten of them, and to split one takes longer than all else that tells what an appliance is.
final class RepeatedWords: Sendable {
    /// So many texts are remembered: a server with ever new ones takes time, and no memory.
    private static let maximumCount = 256

    private let known = Mutex<[String: [String]]>([:])
    private let split: @Sendable (String) -> [String]

    init(_ split: @escaping @Sendable (String) -> [String]) { self.split = split }

    /// The words of a text, which is split once.
    subscript(text: String) -> [String] {
        if let words = known.withLock({ $0[text] }) { return words }
        let words = split(text)
        known.withLock { if $0.count < RepeatedWords.maximumCount { $0[text] = words } }
        return words
    }
}
