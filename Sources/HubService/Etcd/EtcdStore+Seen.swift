package import Pairing

extension EtcdStore {
    package func seen(after revision: Int64) throws(SiteError) -> SeenAtGates {
        let start = key("seen/")
        var seen = SeenAtGates()
        seen.revision = try read(start, to: EtcdMessage.end(of: start), after: revision) {
            entry throws(SiteError) in
            // Nothing depends on it but what owners are told: what gates do not write is nothing.
            guard let name = String(validating: entry.key.dropFirst(start.count), as: UTF8.self),
                let device = Fingerprint(name), let line = LastSeen.Entry(parsing: entry.value ?? []),
                seen.entries.count < SeenAtGates.maximumCount
            else { return }
            seen.entries[device] = line
        }
        return seen
    }

    package func note(_ seen: [Fingerprint: LastSeen.Entry?]) throws(SiteError) {
        let operations = seen.map { device, entry in
            let key = key("seen/\(device)")
            return entry.map { EtcdMessage.put(key, $0.line) } ?? EtcdMessage.delete(key)
        }
        // Only while there is a site: the last gate that leaves takes all of it away.
        let isThere = [EtcdMessage.isThere(key("head"))]
        for start in stride(from: 0, to: operations.count, by: SiteRegister.pieceCount) {
            let piece = operations[start..<min(start + SiteRegister.pieceCount, operations.count)]
            try transact(isThere, Array(piece))
        }
    }
}
