import Pairing

/// How many bytes of the hub's own answers wait until devices read them: for each device and in all. A pure
/// value.
///
/// Only answers above ``smallByteCount`` are counted. Smaller ones are bounded by the connections' own
/// limits: no request is read while as much waits to be sent, so that all 512 together hold 32 MiB at most.
/// An answer is as large as what it lists: 4 MiB of scenes, the states of a large house.
struct AnswerBudget: Sendable {
    static let smallByteCount = 65_536
    /// In all. With what the hub needs itself, and with the answers that are being made, it stays below the
    /// 256 MiB that its service may use.
    static let maximumByteCount = 32 << 20
    /// For one device: a browser and a command line that ask for everything at once.
    static let maximumByteCountPerDevice = 4 << 20

    private var held: [Pin: Int] = [:]
    private(set) var byteCount = 0

    /// False if no answer of more than ``smallByteCount`` would fit: then none is made.
    func hasRoom(for device: Pin) -> Bool {
        byteCount < AnswerBudget.maximumByteCount
            && held[device, default: 0] < AnswerBudget.maximumByteCountPerDevice
    }

    /// Counts an answer, if it fits. A device that holds nothing gets one of any size that fits in all.
    mutating func take(_ count: Int, for device: Pin) -> Bool {
        let own = held[device, default: 0]
        guard count <= AnswerBudget.maximumByteCount - byteCount,
            own == 0 || count <= AnswerBudget.maximumByteCountPerDevice - own
        else { return false }
        held[device] = own + count
        byteCount += count
        return true
    }

    /// What was taken has been sent, or its connection is closed.
    mutating func giveBack(_ count: Int, for device: Pin) {
        byteCount -= count
        let left = held[device, default: 0] - count
        held[device] = left > 0 ? left : nil
    }
}
