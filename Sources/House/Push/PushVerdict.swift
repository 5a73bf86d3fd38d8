import Identity

/// What comes of one attempt to give a message to a push service.
enum PushVerdict: Equatable, Sendable {
    /// The service has it.
    case taken
    /// The browser takes no more: the subscription is over (RFC 8030 § 7.3).
    case over
    /// It is tried again after so many seconds.
    case again(Int)
    /// The service will not have it, or it was tried often enough.
    case lost

    static let maximumTries = 6
    private static let first = 5
    private static let longest = 3600

    /// - Parameters:
    ///   - status: of the answer; nil if there was none.
    ///   - retryAfter: the value of `Retry-After`; a date counts as none.
    ///   - tries: how often it was tried, with this time.
    init(status: Int?, retryAfter: String?, tries: Int) {
        switch status {
        case (200..<300)?: self = .taken
        case 404?, 410?: self = .over
        case nil, 408?, 429?, (500...)?:
            guard tries < PushVerdict.maximumTries else {
                self = .lost
                return
            }
            let asked = retryAfter.flatMap { Int(digits: $0) }
            let usual = PushVerdict.first << (tries - 1)
            self = .again(min(max(asked ?? usual, usual), PushVerdict.longest))
        default: self = .lost
        }
    }
}
