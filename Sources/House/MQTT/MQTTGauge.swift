import CGlibc
import Glibc

/// Looks at what a broker sends before libmosquitto reads it: that takes memory for as long a packet as the
/// head announces, up to 256 MB, and MQTT 3.1.1 knows no way to ask for shorter ones.
///
///     head   = kind and flags (1), length (1 to 4, 7 bits each, the lowest first; bit 7: another follows)
///     packet = head, so many bytes
///
/// A packet is read when all of it is there, and so is the whole of it: the next look is at a head again. A
/// message that is longer than ``maximumByteCount`` is thrown away as it comes.
struct MQTTGauge {
    static let maximumByteCount = 256 << 10

    enum Verdict: Equatable {
        /// libmosquitto is to read, a packet or that the connection has ended.
        case read
        /// More has to come first.
        case wait
        /// The broker sends what a client like this one has not asked for.
        case refuse
    }

    enum Head: Equatable {
        case unfinished
        case malformed
        /// With its head.
        case packet(kind: UInt8, byteCount: Int)

        init(_ bytes: some Collection<UInt8>) {
            guard let kind = bytes.first else {
                self = .unfinished
                return
            }
            var length = 0
            for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
                length |= Int(byte & 0x7F) << (7 * index)
                if byte & 0x80 == 0 {
                    self = .packet(kind: kind, byteCount: index + 2 + length)
                    return
                }
            }
            self = bytes.count > 4 ? .malformed : .unfinished
        }

        /// What to do with it; nil: it is a message that is too long.
        var verdict: Verdict? {
            switch self {
            case .unfinished: .wait
            // libmosquitto says what is wrong.
            case .malformed: .read
            case .packet(let kind, let byteCount):
                if kind & 0xF0 == 0x30 {
                    // Every subscription is of quality 0: libmosquitto keeps what is of another one.
                    kind & 0x06 != 0 ? .refuse : byteCount <= MQTTGauge.maximumByteCount ? .read : nil
                } else {
                    byteCount <= MQTTGauge.maximumByteCount ? .read : .refuse
                }
            }
        }
    }

    private var skipping = 0
    /// How many bytes the socket waits for before poll(2) tells of them.
    private var lowWater = 1
    private var available = 0

    /// - Parameter isEnding: true if no more than what is there will come.
    mutating func look(at socket: Int32, isEnding: Bool) -> Verdict {
        while skipping > 0 {
            // MSG_TRUNC: the bytes are thrown away (tcp(7)).
            let count = recv(socket, nil, skipping, Int32(MSG_TRUNC | MSG_DONTWAIT))
            guard count > 0 else { return count < 0 && errno == EAGAIN ? .wait : .read }
            skipping -= count
        }
        var bytes = [UInt8](repeating: 0, count: 5)
        let count = recv(socket, &bytes, 5, Int32(MSG_PEEK | MSG_DONTWAIT))
        guard count > 0 else { return .read }
        let head = Head(bytes[..<count])
        switch head.verdict {
        case .refuse?: return .refuse
        case .wait?: return isEnding ? .read : wait(for: count + 1, at: socket)
        case nil:
            guard case .packet(_, let byteCount) = head else { return .refuse }
            skipping = byteCount
            expect(1, at: socket)
            return look(at: socket, isEnding: isEnding)
        case .read?:
            if case .packet(_, let byteCount) = head, !isEnding, !isThere(byteCount, at: socket) {
                return wait(for: byteCount, at: socket)
            }
            available = 0
            expect(1, at: socket)
            return .read
        }
    }

    private func isThere(_ count: Int, at socket: Int32) -> Bool { waiting(at: socket) >= count }

    private func waiting(at socket: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(socket, UInt(FIONREAD), &count) == 0 ? Int(count) : .max
    }

    private mutating func wait(for count: Int, at socket: Int32) -> Verdict {
        expect(count, at: socket)
        // A kernel that is short of memory tells of fewer, again and again.
        let now = waiting(at: socket)
        if now == available { usleep(10_000) }
        available = now
        return .wait
    }

    private mutating func expect(_ count: Int, at socket: Int32) {
        guard count != lowWater else { return }
        lowWater = count
        var value = Int32(count)
        setsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &value, socklen_t(MemoryLayout.size(ofValue: value)))
    }
}
