import Pairing

/// Whose answer is made next: one of each device at a time, a few in all, and the waiting devices take turns.
/// So a device with 15 connections delays another one by no more than what is being made. A pure value;
/// `Ticket` stands for a request that waits.
struct AnswerTurns<Ticket>: ~Copyable {
    /// The most answers that are made at once: each may take some megabytes until it is whole.
    static var maximumAtOnce: Int { 4 }
    /// The most requests of one device that wait. Its connections are fewer; those that it has closed
    /// meanwhile, and devices behind a proxy, may be more.
    static var maximumWaiting: Int { 32 }

    enum Verdict: Equatable, Sendable {
        case now
        case later
        case refused
    }

    private var making: Set<Pin> = []
    private var waiting: [Pin: [Ticket]] = [:]
    /// The devices that wait, in the order of their turns.
    private var order: [Pin] = []

    /// A device asks for an answer.
    mutating func ask(_ ticket: Ticket, for device: Pin) -> Verdict {
        if making.count < AnswerTurns.maximumAtOnce, making.insert(device).inserted { return .now }
        guard waiting[device, default: []].count < AnswerTurns.maximumWaiting else { return .refused }
        if waiting[device] == nil { order.append(device) }
        waiting[device, default: []].append(ticket)
        return .later
    }

    /// A device's answer is made.
    ///
    /// - Returns: whose turn it is now; nil if nobody waits.
    mutating func end(_ device: Pin) -> Ticket? {
        making.remove(device)
        guard let index = order.firstIndex(where: { !making.contains($0) }) else { return nil }
        let next = order.remove(at: index)
        guard var tickets = waiting.removeValue(forKey: next), !tickets.isEmpty else { return nil }
        let ticket = tickets.removeFirst()
        if !tickets.isEmpty {
            waiting[next] = tickets
            order.append(next)
        }
        making.insert(next)
        return ticket
    }
}
