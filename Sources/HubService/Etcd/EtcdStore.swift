import JSON
import NIOCore
import Pairing

/// A site's store in etcd. Under `/hubpair/1/<fingerprint>/`, the hub's:
///
///     head        16 random bytes, new with every change: what a change is based on, and by whom it was made
///     moving      16 random bytes, while the first gate moves in
///     gates/ID    a gate's name
///     part/FILE/GROUP
///     seen/FINGERPRINT   see ``SeenAtGates``; it is beside what changes compare, and no watch tells of it
///     journal/GATE/ENTRY   see ``JournalOfGates``; the same
///     records/FINGERPRINT/KEY   see ``HouseRecords``; as well
///
/// Every change compares the revision of `head` and writes it, so changes come one after the other, over all
/// gates. A change whose answer got lost is asked for again, at another member: that `head` has its bytes
/// then says that it was made.
package final class EtcdStore: SiteStore {
    private static let pageCount = 500
    /// Of one page, or of one change that a watch tells.
    private static let answerLimit = 16 << 20
    private static let smallLimit = 1 << 16

    let client: EtcdClient
    private let hub: String
    /// Nil: any, for a hub that joins.
    private let cluster: UInt64?
    let prefix: [UInt8]

    package init(_ settings: SiteSettings, isJoining: Bool = false) throws(SiteError) {
        client = try EtcdClient(settings.members, settings.credentials)
        hub = settings.hub.description
        cluster = isJoining ? nil : settings.cluster
        prefix = Array("/hubpair/1/\(hub)/".utf8)
    }

    func key(_ name: String) -> [UInt8] { prefix + name.utf8 }

    package func head() throws(SiteError) -> Int64 {
        let answer = try EtcdAnswer.Range(
            parsing: call("/v3/kv/range", EtcdMessage.range(key("head")), limit: EtcdStore.smallLimit))
        try check(answer.header)
        guard let entry = answer.entries.first else { throw try isBegun() ? .unfinished : .empty }
        return entry.revision
    }

    package func snapshot() throws(SiteError) -> SiteSnapshot {
        var snapshot = SiteSnapshot(head: 0, parts: [:])
        _ = try read(prefix, to: EtcdMessage.end(of: key("part/"))) { entry throws(SiteError) in
            if entry.key == key("head") { snapshot.head = entry.revision }
            guard let (name, part) = try self.part(entry) else { return }
            snapshot.parts[name] = part
            guard snapshot.parts.count <= SiteSnapshot.maximumParts else {
                throw .damaged("more than \(SiteSnapshot.maximumParts) parts")
            }
        }
        guard snapshot.head > 0 else { throw snapshot.parts.isEmpty ? .empty : .unfinished }
        return snapshot
    }

    /// Reads keys of the hub as they were at one moment, page by page: those that have changed after a
    /// revision.
    ///
    /// - Returns: the revision of that moment.
    func read(
        _ first: [UInt8], to end: [UInt8], after last: Int64 = 0,
        _ take: (EtcdEntry) throws(SiteError) -> Void
    ) throws(SiteError) -> Int64 {
        var start = first
        var revision: Int64 = 0
        while true {
            let answer = try EtcdAnswer.Range(
                parsing: call(
                    "/v3/kv/range",
                    EtcdMessage.range(
                        start, to: end, limit: EtcdStore.pageCount, revision: revision, after: last),
                    limit: EtcdStore.answerLimit))
            try check(answer.header)
            if revision == 0 { revision = answer.header.revision }
            for entry in answer.entries {
                guard !entry.key.lexicographicallyPrecedes(start) else {
                    throw .damaged("etcd sent keys that were not asked for")
                }
                try take(entry)
                start = entry.key + [0]
            }
            guard answer.hasMore, !answer.entries.isEmpty else { return revision }
        }
    }

    package func commit(_ change: SiteChange, on head: Int64) throws(SiteError) -> Int64? {
        let mark = EtcdStore.mark()
        var operations = [EtcdMessage.put(key("head"), mark)]
        for (name, part) in change.parts.sorted(by: { $0.key < $1.key }) {
            let key = key("part/\(name)")
            operations.append(
                part.map { EtcdMessage.put(key, $0.serialized) } ?? EtcdMessage.delete(key))
        }
        let answer = try EtcdAnswer.Transaction(
            parsing: call(
                "/v3/kv/txn", EtcdMessage.transaction(key("head"), revision: head, operations),
                limit: EtcdStore.answerLimit))
        try check(answer.header)
        if answer.isDone { return answer.header.revision }
        // It may have been made all the same: by the first member that was asked.
        return answer.entries.first.flatMap { $0.key == key("head") && $0.value == mark ? $0.revision : nil }
    }

    package func watch(
        after revision: Int64, _ tell: @escaping @Sendable (SiteNews) -> Void
    ) throws(SiteError) -> any SiteStream {
        let request = EtcdMessage.watch(prefix, to: EtcdMessage.end(of: key("part/")), from: revision + 1)
        return try lines(request) { [weak self] line in
            guard let self, let line, let news = try? self.news(line) else { return tell(.broken) }
            if case .changed(let parts, _) = news, parts.isEmpty { return }
            tell(news)
        }
    }

    /// What a watch of any keys tells, line by line; nil once no more come.
    func lines(
        _ watch: JSONValue, _ tell: @escaping @Sendable ([UInt8]?) -> Void
    ) throws(SiteError) -> any SiteStream {
        let member = client.first
        let channel = try client.lines(
            "/v3/watch", Array(watch.text.utf8), of: member, limit: EtcdStore.answerLimit, tell)
        return Stream(channel: channel, client: client, member: member)
    }

    private struct Stream: SiteStream {
        let channel: any Channel
        let client: EtcdClient
        let member: Int

        var isOfWhoAnswers: Bool { client.first == member }
        func close() { channel.close(promise: nil) }
    }

    private func news(_ line: [UInt8]) throws(SiteError) -> SiteNews {
        switch try EtcdAnswer.Watch(parsing: line) {
        case .created(let header):
            try check(header)
            return .changed([:], head: 0)
        case .ended: return .broken
        case .changed(let header, let entries):
            try check(header)
            var parts: [String: SiteSnapshot.Part?] = [:]
            var head: Int64 = 0
            for entry in entries {
                if entry.key == key("head") {
                    // Without it nothing is shared any more.
                    guard entry.value != nil else { return .broken }
                    head = max(head, entry.revision)
                }
                guard entry.key.starts(with: key("part/")) else { continue }
                if entry.value == nil {
                    parts.updateValue(
                        nil, forKey: String(decoding: entry.key.dropFirst(key("part/").count), as: UTF8.self))
                } else if let (name, part) = try part(entry) {
                    parts.updateValue(part, forKey: name)
                }
            }
            guard head > 0 else { return .changed([:], head: 0) }
            return .changed(parts, head: head)
        }
    }

    /// The part that a key holds; nil for other keys.
    private func part(_ entry: EtcdEntry) throws(SiteError) -> (String, SiteSnapshot.Part)? {
        let start = key("part/")
        guard entry.key.starts(with: start) else { return nil }
        guard let name = String(validating: entry.key.dropFirst(start.count), as: UTF8.self),
            let value = entry.value, value.count <= SiteSnapshot.maximumPartByteCount + 11,
            let part = SiteSnapshot.Part(parsing: value)
        else { throw .damaged("a part is not one of a keyfile") }
        return (name, part)
    }

    // MARK: Moving in and out

    /// The number of the cluster, and whether a gate has moved in. Any member may say it.
    func standing() throws(SiteError) -> (cluster: UInt64, isInUse: Bool) {
        let answer = try EtcdAnswer.Range(
            parsing: call("/v3/kv/range", EtcdMessage.range(key("head")), limit: EtcdStore.smallLimit))
        return (answer.header.cluster, !answer.entries.isEmpty)
    }

    /// Puts all parts into an empty site. Until it is done the site counts as empty, and it begins anew.
    func fill(_ change: SiteChange) throws(SiteError) {
        let mark = EtcdStore.mark()
        try transact(
            [EtcdMessage.isMissing(key("head"))],
            [
                EtcdMessage.delete(key("part/"), to: EtcdMessage.end(of: key("part/"))),
                EtcdMessage.put(key("moving"), mark),
            ])
        let isOurs = [EtcdMessage.condition(key("moving"), is: mark)]
        for piece in change.pieces(of: SiteRegister.pieceCount, byteCount: SiteRegister.pieceByteCount) {
            try transact(
                isOurs,
                piece.parts.compactMap { name, part in
                    part.map { EtcdMessage.put(key("part/\(name)"), $0.serialized) }
                })
        }
        try transact(isOurs, [EtcdMessage.put(key("head"), mark), EtcdMessage.delete(key("moving"))])
    }

    func transact(_ conditions: [JSONValue], _ operations: [JSONValue]) throws(SiteError) {
        let answer = try EtcdAnswer.Transaction(
            parsing: call(
                "/v3/kv/txn", EtcdMessage.transaction(conditions, operations),
                limit: EtcdStore.answerLimit))
        guard answer.isDone else { throw .movingIn }
    }

    /// True if a gate has begun to move in, and not ended.
    private func isBegun() throws(SiteError) -> Bool {
        let answer = try EtcdAnswer.Range(
            parsing: call("/v3/kv/range", EtcdMessage.range(key("moving")), limit: EtcdStore.smallLimit))
        return !answer.entries.isEmpty
    }

    /// Adds a gate to those that the site knows of.
    func add(gate: String, name: String) throws(SiteError) {
        try transact([], [EtcdMessage.put(key("gates/\(gate)"), Array(name.utf8))])
    }

    /// Takes a gate out; with the last one all goes that they shared, if nothing has changed since `head`.
    ///
    /// - Parameters:
    ///   - hub: whose gate it is, if that is known.
    ///   - isLast: no other gate has the same key: the records of the hub's house go, too.
    /// - Returns: false if something has.
    func remove(
        gate: String, of hub: Fingerprint?, isLast: Bool, head: Int64
    ) throws(SiteError) -> Bool {
        let others = try gates().filter { $0.id != gate }
        let journal = key("journal/\(gate)/")
        var gone = [EtcdMessage.delete(prefix, to: EtcdMessage.end(of: prefix))]
        if !others.isEmpty {
            gone = [
                EtcdMessage.delete(key("gates/\(gate)")),
                EtcdMessage.delete(journal, to: EtcdMessage.end(of: journal)),
            ]
            let records = hub.map { key("\(EtcdStore.recordsName)\($0)/") }
            if let records {
                gone.append(
                    isLast
                        ? EtcdMessage.delete(records, to: EtcdMessage.end(of: records))
                        : EtcdMessage.delete(records + HouseRecords.at(gate).utf8))
                if !isLast {
                    gone.append(EtcdMessage.delete(records + HouseRecords.fault(of: gate).utf8))
                }
            }
        }
        let answer = try EtcdAnswer.Transaction(
            parsing: call(
                "/v3/kv/txn", EtcdMessage.transaction(key("head"), revision: head, gone),
                limit: EtcdStore.answerLimit))
        try check(answer.header)
        return answer.isDone
    }

    package func gates() throws(SiteError) -> [(id: String, name: String)] {
        let start = key("gates/")
        let answer = try EtcdAnswer.Range(
            parsing: call(
                "/v3/kv/range", EtcdMessage.range(start, to: EtcdMessage.end(of: start)),
                limit: EtcdStore.answerLimit))
        try check(answer.header)
        return answer.entries.map { entry in
            (
                String(decoding: entry.key.dropFirst(start.count), as: UTF8.self),
                String(decoding: entry.value ?? [], as: UTF8.self)
            )
        }
    }

    func call(_ path: String, _ request: JSONValue, limit: Int) throws(SiteError) -> [UInt8] {
        try client.call(path, Array(request.text.utf8), limit: limit)
    }

    func check(_ header: EtcdAnswer.Header) throws(SiteError) {
        if let cluster, header.cluster != cluster { throw .otherCluster(String(header.cluster)) }
    }

    private static func mark() -> [UInt8] { (0..<16).map { _ in UInt8.random(in: 0...255) } }
}
