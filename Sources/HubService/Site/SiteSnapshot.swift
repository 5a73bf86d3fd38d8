import Pairing

/// What the gates of a site share, at one revision: the files in parts, one for each group, so that one
/// device more is a small change among 10,000.
///
/// The name of a part is `<file>/<group>`, that of the lines above the first group `<file>/`. The files come
/// out to the byte as they went in.
///
///     approved-devices/device K7QF-2M9D-X0TW-8RHC
package struct SiteSnapshot: Equatable, Sendable {
    /// The lines of a group, the header included, and its place in the file.
    package struct Part: Equatable, Sendable {
        package let place: UInt32
        package let lines: [UInt8]

        package init(place: UInt32, lines: [UInt8]) { (self.place, self.lines) = (place, lines) }

        /// `place` in decimal, LF, and the lines.
        ///
        /// Accepted: `7\n[device …]\n…`, `0\n`. Rejected: `07\n`, `4294967296\n`, `7`.
        package init?(parsing bytes: [UInt8]) {
            guard let end = bytes.prefix(11).firstIndex(of: UInt8(ascii: "\n")), end > 0,
                end == 1 || bytes[0] != UInt8(ascii: "0"),
                bytes[..<end].allSatisfy({ (0x30...0x39).contains($0) }),
                let place = UInt32(String(decoding: bytes[..<end], as: UTF8.self))
            else { return nil }
            self.init(place: place, lines: Array(bytes[(end + 1)...]))
        }

        package var serialized: [UInt8] { Array("\(place)\n".utf8) + lines }
    }

    /// The files that gates share.
    package static let files = [
        ApprovedDevices.fileName, Tickets.fileName, FailedAttempts.fileName, SiteGates.fileName,
        SiteKeys.fileName,
    ]
    /// 10,000 codes with a use each, and as many devices.
    package static let maximumParts = 50_000
    /// Of one part; a group of ours has less than 1 kB.
    package static let maximumPartByteCount = 65_536

    /// The revision of the last change.
    package internal(set) var head: Int64
    package internal(set) var parts: [String: Part]

    package init(head: Int64, parts: [String: Part]) { (self.head, self.parts) = (head, parts) }

    /// The files as they are at this revision; those that there are not yet are missing.
    package var contents: [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in SiteSnapshot.files {
            let own = parts(of: name)
            guard !own.isEmpty else { continue }
            contents[name] = own.values.sorted { $0.place < $1.place }.flatMap(\.lines)
        }
        return contents
    }

    /// The devices of the site, whatever has been decided about them.
    var devices: Set<Fingerprint> {
        let start = "\(ApprovedDevices.fileName)/device "
        return Set(
            parts.keys.lazy.filter { $0.hasPrefix(start) }.compactMap {
                Fingerprint(String($0.dropFirst(start.count)))
            })
    }

    func parts(of file: String) -> [String: Part] { parts.filter { $0.key.hasPrefix(file + "/") } }

    /// What has to change so that these files have this content.
    func change(to files: [SharedFile]) throws(SiteError) -> SiteChange {
        var change = SiteChange()
        for file in files {
            let before = parts(of: file.name)
            let sections = SiteSnapshot.sections(file.bytes)
            var names: Set<String> = []
            var last = before.values.map(\.place).max() ?? 0
            var isInOrder = true
            var reached: UInt32 = 0
            for (group, lines) in sections {
                let name = "\(file.name)/\(group)"
                guard names.insert(name).inserted, lines.count <= SiteSnapshot.maximumPartByteCount else {
                    throw .damaged("the file \(file.name) holds what a site cannot keep")
                }
                let place: UInt32
                if let known = before[name] {
                    place = known.place
                } else {
                    guard last < UInt32.max else { throw .damaged("the places in \(file.name) are used up") }
                    last += 1
                    place = last
                }
                if place < reached { isInOrder = false }
                reached = place
                let part = Part(place: place, lines: lines)
                if before[name] != part { change.parts.updateValue(part, forKey: name) }
            }
            for name in before.keys where !names.contains(name) {
                change.parts.updateValue(nil, forKey: name)
            }
            guard !isInOrder else { continue }
            // A group that came in between others: all get new places.
            for (index, section) in sections.enumerated() {
                change.parts.updateValue(
                    Part(place: UInt32(index), lines: section.lines), forKey: "\(file.name)/\(section.group)")
            }
        }
        return change
    }

    /// The same snapshot after a change.
    func applying(_ parts: [String: Part?], head: Int64) -> SiteSnapshot {
        var result = self
        for (name, part) in parts { result.parts[name] = part }
        result.head = head
        return result
    }

    /// The groups of a keyfile (``KeyFile``), and above them what comes before the first.
    static func sections(_ bytes: [UInt8]) -> [(group: String, lines: [UInt8])] {
        var sections: [(group: String, lines: [UInt8])] = []
        var start = 0
        var name = ""
        var position = 0
        func end(at end: Int) {
            if start < end || !name.isEmpty { sections.append((name, Array(bytes[start..<end]))) }
        }
        while position < bytes.count {
            let stop = bytes[position...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.count
            let line = bytes[position..<stop].drop { $0 == 0x20 || $0 == 0x09 }
            if line.first == UInt8(ascii: "["), let close = line.firstIndex(of: UInt8(ascii: "]")) {
                end(at: position)
                start = position
                name = String(decoding: line[(line.startIndex + 1)..<close], as: UTF8.self)
            }
            position = stop
        }
        end(at: bytes.count)
        return sections
    }
}

/// Parts that are to change, nil for those that go.
package struct SiteChange: Equatable, Sendable {
    package var parts: [String: SiteSnapshot.Part?] = [:]

    package init() {}

    /// In pieces of at most `count` parts and about `byteCount` bytes, each of which leaves files that can be
    /// read: what counts uses of codes comes last, with what goes.
    func pieces(of count: Int, byteCount: Int) -> [SiteChange] {
        let order = parts.sorted { one, other in
            (SiteChange.rank(one.key), one.key) < (SiteChange.rank(other.key), other.key)
        }
        var pieces: [SiteChange] = []
        var piece = SiteChange()
        var size = 0
        for (name, part) in order {
            let bytes = name.utf8.count + (part?.lines.count ?? 0) + 32
            if !piece.parts.isEmpty, piece.parts.count >= count || size + bytes > byteCount {
                pieces.append(piece)
                (piece, size) = (SiteChange(), 0)
            }
            piece.parts.updateValue(part, forKey: name)
            size += bytes
        }
        return pieces + [piece]
    }

    private static func rank(_ name: String) -> Int {
        let group = name.drop { $0 != "/" }.dropFirst()
        return group.isEmpty || group == "keyfile" ? 1 : 0
    }
}
