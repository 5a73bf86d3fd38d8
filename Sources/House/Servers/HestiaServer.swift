import GatewayRules
import Home
import HubService
import JSON
import Synchronization

/// The server behind the hub, which speaks Hestia's API, as one of the house's. It is asked through the
/// gate's queue, and tells nothing by itself.
final class HestiaServer: HouseServer {
    private let calls: GateCalls
    /// Since when there is no answer at all, and why.
    private let lastOutage = Mutex<UpstreamBreaker.Outage?>(nil)
    /// The last list, as it came and as it was read. In a house where nothing happens it comes again to the
    /// byte, every second: then nothing has to be read, and nobody has to compare what has its storage.
    private let lastList = Mutex<(body: [UInt8], devices: [ControlledDevice])>(([], []))

    init(_ calls: GateCalls) { self.calls = calls }

    var outage: UpstreamBreaker.Outage? { lastOutage.withLock { $0 } }
    func note(_ outage: UpstreamBreaker.Outage?) { lastOutage.withLock { $0 = outage } }

    func orders(as sender: DeviceFields?) -> any OrderedHouse { UpstreamHouse(calls, as: sender) }

    /// All that it lists, for a scene.
    func devices(as sender: DeviceFields?) async throws -> [ControlledDevice] {
        try await UpstreamHouse(calls, as: sender).devices()
    }

    func look(knowing ids: [String]) async -> ServerLook {
        do throws(UpstreamCallError) {
            let reply = try await calls.poll(ControlRequest.devices.target)
            if reply.isSuccess, let devices = list(reply.body) {
                return .things(devices, unanswered: [])
            }
            guard reply.status >= 500 else { return .away(HestiaServer.words(reply), hasAnswered: true) }
            return await askOneByOne(ids, reply)
        } catch {
            if case .refused(.away(let outage)) = error { note(outage) }
            // Since when no request has had an answer says more than that this one had none.
            let outage = error == .timeout ? self.outage : nil
            return .away(
                outage.map { UpstreamTurns.Refusal.away($0).words } ?? error.description, hasAnswered: false)
        }
    }

    private func list(_ body: [UInt8]) -> [ControlledDevice]? {
        let known = lastList.withLock { $0.body == body ? $0.devices : [] }
        if !known.isEmpty { return known }
        guard let devices = ControlledDevice.list(parsing: body) else { return nil }
        lastList.withLock { $0 = (body, devices) }
        return devices
    }

    private static func words(_ reply: UpstreamReply) -> String {
        if reply.isSuccess { return "the answer of the server behind the hub is no list of appliances" }
        return ServerError(status: reply.status, contentType: nil, body: reply.body).isOfBrokenDatabase
            ? "\(ServerError.brokenDatabase): it answers everything with the status \(reply.status)"
            : "the server behind the hub answers with the status \(reply.status)"
    }

    private enum Answer: Sendable {
        case listed(ControlledDevice)
        /// The server has no such appliance any more.
        case gone
        /// The server gets no answer from it, or gives none.
        case silent
        /// It is the server that is not there; why.
        case failed(String)
    }

    /// One appliance that was asked for. Not a tuple: Swift 6.2 with assertions fails at one from a group.
    private struct Asked {
        let id: String
        let answer: Answer
    }

    /// The list fails as a whole when one appliance does not answer the server: asks for each that is known.
    private func askOneByOne(_ known: [String], _ reply: UpstreamReply) async -> ServerLook {
        let calls = calls
        let all: [Asked] = await withTaskGroup { group in
            for id in known {
                group.addTask { Asked(id: id, answer: await HestiaServer.answer(for: id, calls)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var devices: [String: ControlledDevice] = [:]
        var unanswered: Set<String> = []
        for one in all {
            switch one.answer {
            case .listed(let device): devices[one.id] = device
            case .silent: unanswered.insert(one.id)
            case .gone: break
            case .failed(let words): return .away(words, hasAnswered: true)
            }
        }
        // With none that answers, it is the server that has failed.
        guard !devices.isEmpty else { return .away(HestiaServer.words(reply), hasAnswered: true) }
        return .things(known.compactMap { devices[$0] }, unanswered: unanswered)
    }

    /// What the server says of one appliance.
    private static func answer(for id: String, _ calls: GateCalls) async -> Answer {
        do throws(UpstreamCallError) {
            let reply = try await calls.poll(ControlRequest.device(id).target)
            if reply.status == 404 { return .gone }
            guard reply.isSuccess, let device = try? JSONReader.read(ControlledDevice.self, from: reply.body),
                device.id == id
            else { return .silent }
            return .listed(device)
        } catch {
            switch error {
            case .timeout, .brokeOff, .malformed, .tooLarge: return .silent
            case .noUpstream, .unreachable, .refused, .relayed, .tooMany, .cancelled:
                return .failed(error.description)
            }
        }
    }
}
