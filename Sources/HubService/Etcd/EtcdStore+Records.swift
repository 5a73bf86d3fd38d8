import JSON
package import Pairing

/// The records of the hubs' houses, beside all that changes of the register compare:
///
///     records/FINGERPRINT/KEY
extension EtcdStore {
    static let recordsName = "records/"
    private static let recordsLimit = 16 << 20

    /// - Parameters:
    ///   - hub: whose records they are; gates with one key have the same.
    ///   - gate: the gate that asks: one that was taken out changes nothing any more.
    func answer(
        _ question: SiteRecords.Question, of hub: Fingerprint, at gate: String
    ) throws(SiteError) -> SiteRecords.Answer {
        var answer = SiteRecords.Answer()
        answer.gate = gate
        let prefix = key("\(EtcdStore.recordsName)\(hub)/")
        func range(_ range: SiteRecords.Range) -> JSONValue {
            .object([
                "request_range": EtcdMessage.range(
                    prefix + range.from.utf8, to: range.to.map { prefix + $0.utf8 }, limit: range.limit)
            ])
        }
        switch question {
        case .gate: break
        case .read(let ranges):
            let told = try transaction(EtcdMessage.transaction([], ranges.map(range)))
            answer.entries = EtcdStore.entries(told.entries, below: prefix)
        case .change(let conditions, let changes, let ranges):
            let isGate = EtcdMessage.isThere(key("gates/\(gate)"))
            let told = try transaction(
                EtcdMessage.transaction(
                    [isGate]
                        + conditions.map { condition in
                            let key = prefix + condition.key.utf8
                            return condition.value.map { EtcdMessage.condition(key, is: $0) }
                                ?? EtcdMessage.isMissing(key)
                        },
                    changes.map { change in
                        switch change {
                        case .put(let key, let value, let lease):
                            EtcdMessage.put(prefix + key.utf8, value, lease: lease)
                        case .delete(let key, let end):
                            EtcdMessage.delete(prefix + key.utf8, to: end.map { prefix + $0.utf8 })
                        }
                    }, else: ranges.map(range)))
            answer.isDone = told.isDone
            answer.entries = EtcdStore.entries(told.entries, below: prefix)
        case .lease(let lease): answer.lease = try ask(lease)
        }
        return answer
    }

    /// Tells, until it is closed, that records of a hub's houses have changed which followers wait for; first
    /// that it tells of it now: what has changed before may be unknown. With false it ends.
    package func watchHouse(
        of hub: Fingerprint, _ tell: @escaping @Sendable (Bool) -> Void
    ) throws(SiteError) -> (any SiteStream)? {
        let prefix = key("\(EtcdStore.recordsName)\(hub)/")
        let range = HouseRecords.watched
        let request = EtcdMessage.watch(
            prefix + range.from.utf8, to: prefix + (range.to ?? range.from).utf8, from: 0)
        return try lines(request) { line in
            switch line.flatMap({ try? EtcdAnswer.Watch(parsing: $0) }) {
            case .created, .changed: tell(true)
            case .ended, nil: tell(false)
            }
        }
    }

    private func transaction(_ request: JSONValue) throws(SiteError) -> EtcdAnswer.Transaction {
        let answer = try EtcdAnswer.Transaction(
            parsing: call("/v3/kv/txn", request, limit: EtcdStore.recordsLimit))
        try check(answer.header)
        return answer
    }

    private static func entries(_ entries: [EtcdEntry], below prefix: [UInt8]) -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for entry in entries where entry.key.starts(with: prefix) {
            found[String(decoding: entry.key.dropFirst(prefix.count), as: UTF8.self)] = entry.value ?? []
        }
        return found
    }

    /// - Returns: the lease; nil if it has ended.
    private func ask(_ lease: SiteRecords.Lease) throws(SiteError) -> String? {
        let (path, members): (String, [String: JSONValue]) =
            switch lease {
            case .begin(let seconds): ("grant", ["TTL": .string(String(seconds))])
            case .keep(let id): ("keepalive", ["ID": .string(id)])
            case .end(let id): ("revoke", ["ID": .string(id)])
            }
        let bytes = try call("/v3/lease/\(path)", .object(members), limit: EtcdStore.recordsLimit)
        let answer = try EtcdAnswer.lease(parsing: bytes)
        if case .end = lease { return nil }
        return answer
    }

    /// What the houses of a hub say of themselves.
    func standings(of hub: Fingerprint) throws(SiteError) -> [String: [UInt8]] {
        try answer(.read(HouseRecords.standings), of: hub, at: "").entries
    }
}
