import HubService

/// What is decided about the log: from what was asked and what was answered, without either.
enum LogRules {
    // MARK: Writing

    /// What became of an entry.
    enum Written: Equatable, Sendable {
        /// It is the next one, for all gates and for good.
        case won
        /// Another gate was faster; nothing was written.
        case lost
        /// This house polls no longer; nothing was written, nor will be.
        case fenced
        /// It is not known: the same entry is to be offered again.
        case unknown(String)
        /// The site has another house than this one, or none.
        case apart
        /// This gate was taken out of its site, while it ran; nothing was written.
        case out
    }

    /// The request that writes an entry behind `place`. It may be sent again: it is written once at most.
    ///
    /// - Parameter term: of the house that polls: it writes nothing once another does. Nil for the others,
    ///   which write what people decide.
    static func question(_ entry: LogEntry, after place: LogPlace, term: [UInt8]?) -> SiteRecords.Question {
        let key = HouseRecords.entry(place.position + 1)
        var conditions = [SiteRecords.Condition(HouseRecords.last, is: place.bytes)]
        if let term { conditions.append(SiteRecords.Condition(HouseRecords.leader, is: term)) }
        return .change(
            conditions, [.put(HouseRecords.last, place.next.bytes), .put(key, entry.bytes)],
            else: [.init(HouseRecords.last), .init(HouseRecords.leader), .init(key)])
    }

    /// - Parameter answer: to ``question(_:after:term:)``; nil if there was none.
    static func written(
        _ entry: LogEntry, after place: LogPlace, term: [UInt8]?, _ answer: SiteRecords.Answer?
    ) -> Written {
        guard let answer else { return .unknown("the gate does not answer") }
        if let fault = answer.fault { return .unknown(fault) }
        if answer.isDone { return .won }
        guard let bytes = answer.entries[HouseRecords.last], let last = LogPlace(bytes),
            last.house == place.house, last.position >= place.position
        else { return .apart }
        if last.position > place.position {
            // Without the entry it was thrown away meanwhile, and nobody knows whose it was.
            guard let bytes = answer.entries[HouseRecords.entry(place.position + 1)] else { return .apart }
            // The first member that was asked may have made it, and not have said so.
            if LogEntry(bytes)?.id == entry.id { return .won }
        }
        if let term, answer.entries[HouseRecords.leader] != term { return .fenced }
        // Nobody was faster.
        return last.position > place.position ? .lost : .out
    }

    // MARK: Following

    /// What is to be done for a house to be as all are.
    enum Following: Equatable, Sendable {
        /// Nobody has one yet: it begins with this one.
        case begin
        /// These come next; there may be more.
        case take([LogEntry])
        case upToDate
        /// It begins again with the copy, since what lies between is not there, or it was another house.
        case replace
        /// What is in the log, no gate has written that this one understands.
        case unreadable(Int64)
    }

    static func following(_ own: LogPlace?, _ entries: [String: [UInt8]]) -> Following {
        guard let last = entries[HouseRecords.last].flatMap({ LogPlace($0) }) else { return .begin }
        guard let own, own.house == last.house, own.position <= last.position else { return .replace }
        if own.position == last.position { return .upToDate }
        var taken: [LogEntry] = []
        var position = own.position
        while let bytes = entries[HouseRecords.entry(position + 1)] {
            position += 1
            guard let entry = LogEntry(bytes) else {
                if taken.isEmpty { return .unreadable(position) }
                break
            }
            taken.append(entry)
        }
        return taken.isEmpty ? .replace : .take(taken)
    }

    // MARK: Leading

    /// How long a house leads without its gate and a majority saying so, in seconds.
    static let leaseTime = 10
    /// It ends what it does by itself earlier than another may begin.
    static let safeTime = Duration.seconds(7)

    enum Leading: Equatable, Sendable {
        /// Nobody does.
        case tryIt
        /// This one does, and begins what a house does by itself.
        case begin
        case goOn
        /// Another does.
        case follow
        /// This one did.
        case stop
    }

    /// - Parameters:
    ///   - term: of this house, if it has asked to lead and was not refused.
    ///   - isActing: it has begun.
    ///   - isUpToDate: it has taken in all of the log.
    static func leading(
        _ leader: [UInt8]?, term: [UInt8]?, isActing: Bool, isUpToDate: Bool
    ) -> Leading {
        guard let term else {
            return leader == nil && isUpToDate ? .tryIt : .follow
        }
        guard leader == term else { return .stop }
        // What was acknowledged before is known first.
        return isActing ? .goOn : isUpToDate ? .begin : .follow
    }

    // MARK: The copy

    /// The log is shortened once so much has come after the last copy, or as much as that has.
    static let baseByteCount = 8 << 20

    static func isCopyDue(_ base: LogBase?, grown byteCount: Int) -> Bool {
        byteCount >= max(baseByteCount, 2 * (base?.byteCount ?? 0))
    }
}
