import GatewayRules
package import Home
import JSON

/// The appliances of one hub: what the hub knows, or what its server lists if that is a stock one. All
/// commands go by it, so that an appliance is in all of them or in none.
package struct KnownHouse: Sendable {
    /// An appliance that does not answer its server.
    package struct Silence: Equatable, Sendable {
        /// How many seconds ago it was as it is told; nil if the hub does not say.
        package let age: Int?
    }

    /// That all of it is old: the server behind the hub does not answer, or not yet.
    package struct Absence: Equatable, Sendable {
        /// The hub's words; nil: the server takes long.
        package let fault: String?
        /// True if the server answers, and cannot be understood.
        package let answers: Bool
        /// How many seconds ago all was so; nil if the hub does not say.
        package let age: Int?

        /// What only the server's owner can mend.
        package var isOfBrokenDatabase: Bool { fault?.hasPrefix(ServerError.brokenDatabase) ?? false }
    }

    /// How the hub treats the server behind it.
    package struct Treatment: Equatable, Sendable {
        /// `stock`, `other`, or a word of a newer hub; nil: not known.
        package let kind: String?
        /// How many requests the server gets at a time.
        package let concurrency: Int
    }

    /// All that there are, in the server's order. What does not answer is as the hub saw it last.
    package let devices: [ControlledDevice]
    /// Those that do not answer, by their ids; all of them while the server is away.
    private let silences: [String: Silence]
    /// Nil if the house answers.
    package let absence: Absence?
    /// Nil if the hub does not say.
    package let treatment: Treatment?

    /// What a server has listed just now.
    init(listed devices: [ControlledDevice]) {
        (self.devices, silences, absence, treatment) = (devices, [:], nil, nil)
    }

    fileprivate init(_ report: StateReport, _ devices: [ControlledDevice]) {
        self.devices = devices
        let age = report.age ?? report.silent.compactMap(\.age).min()
        let isAway = !report.isCurrent || (age ?? 0) > StateReport.freshAge
        absence = isAway ? Absence(fault: report.fault, answers: report.answers, age: age) : nil
        treatment = report.treatment
        var silences = Dictionary(report.silent.map { ($0.id, Silence(age: $0.age)) }) { first, _ in first }
        if isAway {
            for device in devices where silences[device.id] == nil {
                silences[device.id] = Silence(age: age)
            }
        }
        self.silences = silences
    }

    /// How long an appliance has been silent; nil if it answers.
    package func silence(of device: String) -> Silence? { silences[device] }

    /// Those that do not answer although others do.
    package var silent: [ControlledDevice] {
        absence == nil ? devices.filter { silences[$0.id] != nil } : []
    }
}

extension HubHome {
    /// The appliances as the server lists them.
    package func listed() async throws -> KnownHouse { KnownHouse(listed: try await devices()) }

    /// The appliances as a guarded hub knows them. One of an earlier version, and one that knows nothing yet,
    /// is asked for its server's list.
    ///
    /// - Parameter patience: how long a server may take that is slow to answer; then it is told how things
    ///   were.
    package func house(patience: Duration = .seconds(30)) async throws -> KnownHouse {
        let end = ContinuousClock.now + patience
        var pauses = LookPauses()
        while true {
            let report: StateReport
            do {
                report = try await self.report(within: end - .now)
            } catch ServerError.gateway(404, _, _), ServerError.gateway(503, "unavailable", _) {
                return try await listed()
            }
            guard let devices = report.devices else { return try await listed() }
            // The hub waits for its server for a while, and tells then what was before.
            guard report.isCurrent, (report.age ?? 0) > StateReport.freshAge,
                let pause = pauses.next(within: end - .now)
            else { return KnownHouse(report, devices) }
            try await Task.sleep(for: pause)
        }
    }

    /// - Parameter time: how long a new answer is waited for; the hub is asked to wait a little less.
    private func report(within time: Duration) async throws -> StateReport {
        let target = HubResource.root + ResourcePattern.states.rawValue
        // Somebody may just have used a switch in the house.
        var now = [("Cache-Control", "max-age=0")]
        // For less than its usual time it is not asked to wait.
        let seconds = time.components.seconds - 1
        if seconds >= 2 { now.append(("Prefer", "wait=\(seconds)")) }
        let body = try await answer(to: HubRequest(method: "GET", target: target, headers: now))
        do {
            let report = try JSONReader.read(StateReport.self, from: body)
            // The hub may know the states for long; what counts is how long its server takes.
            note(pace: .milliseconds(report.took))
            return report
        } catch {
            throw ServerError.unreadable(error.description)
        }
    }
}

/// The pauses before a hub is asked again that tells what was before: each twice as long as the one before,
/// from 50 ms to one second.
struct LookPauses {
    private static let longest = Duration.seconds(1)
    private var pause = Duration.milliseconds(50)

    /// - Parameter time: what is left.
    /// - Returns: nil if no time is left.
    mutating func next(within time: Duration) -> Duration? {
        guard time > .zero else { return nil }
        defer { pause = min(pause * 2, LookPauses.longest) }
        return min(pause, time)
    }
}

/// The hub's answer to `GET states`, as far as it is about appliances.
private struct StateReport: JSONReadable {
    /// States of this age, in seconds, are those of now.
    static let freshAge = 1

    struct Silent: JSONReadable {
        var id: String
        var age: Int?

        init(reading reader: inout JSONReader) throws(JSONFault) {
            var id: String?
            var age: Int?
            try reader.object { key, reader throws(JSONFault) in
                switch key {
                case "deviceId": id = try reader.string()
                case "age": age = try Int(reading: &reader)
                default: try reader.skip()
                }
            }
            (self.id, self.age) = (try id.required("deviceId"), age.map { min(max(0, $0), 1_000_000_000) })
        }
    }

    var devices: [ControlledDevice]?
    var silent: [Silent] = []
    var isCurrent = false
    var answers = false
    var treatment: KnownHouse.Treatment?
    var fault: String?
    var age: Int?
    var took = 0

    init(reading reader: inout JSONReader) throws(JSONFault) {
        var age: Int?
        var took = 0
        try reader.object { key, reader throws(JSONFault) in
            switch key {
            case "devices": devices = try [ControlledDevice](reading: &reader)
            case "silent": silent = try [Silent](reading: &reader)
            case "current": isCurrent = try reader.literal() == .boolean(true)
            case "answers": answers = try reader.literal() == .boolean(true)
            case "upstream": treatment = KnownHouse.Treatment(try JSONValue(reading: &reader))
            case "fault": fault = try reader.string()
            case "age": age = try Int(reading: &reader)
            case "took": took = try Int(reading: &reader)
            default: try reader.skip()
            }
        }
        self.age = age.map { min(max(0, $0), 1_000_000_000) }
        self.took = min(max(0, took), 60_000)
    }
}

extension KnownHouse.Treatment {
    /// Nil for what a newer hub may say instead.
    fileprivate init?(_ value: JSONValue) {
        guard let members = value.asObject, case .integer(let count)? = members["concurrency"],
            let concurrency = Int(exactly: count), concurrency > 0
        else { return nil }
        self.init(kind: members["kind"]?.asString, concurrency: concurrency)
    }
}
