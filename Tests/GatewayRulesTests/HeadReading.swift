import Testing

@testable import GatewayRules

/// A request, read whole.
func requestHead(_ text: String) throws -> RequestHead {
    var framing = RequestFraming()
    let part = try Array(text.utf8).withUnsafeBytes { try framing.next($0).part }
    guard case .head(let head) = part else { throw FramingError.badRequestLine }
    return head
}

extension CrossSiteRule {
    /// The rule of a hub that is called `h`.
    static let hubH = CrossSiteRule { $0 == .name("h") }
}

/// What an upstream sends, in parts, read in steps of so many bytes.
struct AnswerReading: Equatable {
    var heads: [Int] = []
    var body: [UInt8] = []
    var isComplete = false
    /// How many bytes were used up.
    var count = 0

    init(_ bytes: [UInt8], toHead: Bool = false, upgrades: Bool = false, step: Int = .max) throws {
        var framing = ResponseFraming(toHead: toHead, upgrades: upgrades)
        var end = 0
        while end < bytes.count {
            end = step >= bytes.count - end ? bytes.count : end + step
            while true {
                let rest = bytes[count..<end]
                let (used, part) = try rest.withUnsafeBytes { try framing.next($0) }
                switch part {
                case .head(let head): heads.append(head.status)
                case .body(let range):
                    body += rest[(rest.startIndex + range.lowerBound)..<(rest.startIndex + range.upperBound)]
                case .end, nil: break
                }
                count += used
                if part == nil { break }
            }
            if framing.isComplete || framing.hasSwitched { break }
        }
        isComplete = framing.isComplete
    }
}
