import FoundationEssentials
import Home
import JSON

/// Parses any text as a sentence, and any bytes as a server's answer. Every order that is understood must be
/// about one of the devices, and nothing may trap.
func fuzzWords(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    let targets = SpokenTargets(devices: house)
    if let sentence = try? SpokenSentence(text), let understood = try? targets.orders(of: sentence) {
        precondition(understood.orders.allSatisfy { order in house.contains { $0.id == order.device } })
        precondition(Set(understood.orders.map(\.activator)).count == understood.orders.count)
        let levels = understood.orders.compactMap(\.state.asDouble)
        precondition(levels.allSatisfy((0...1).contains))
    }
    _ = try? Selection(text).device(in: house)
    _ = try? targets.devices(ofType: text)
    if let setting = try? Setting(text), case .level(let level) = setting {
        precondition((0...1).contains(level))
    }
    for field in ["name", "ip", "port", "room"] {
        if let answer = try? InfoField.check(text, for: field) { precondition(answer == text) }
    }
    let canSkip = (try? JSONReader.read(Skipped.self, from: bytes)) != nil
    precondition(canSkip == (JSONValue(parsing: bytes) != nil), "what is not needed is read as strictly")
    if let value = JSONValue(parsing: bytes) {
        precondition(
            JSONValue(parsing: Array(value.text.utf8)) == value, "what is written is read as the same")
        precondition(
            (try? JSONDecoder().decode(Anything.self, from: Data(bytes))) != nil, "Foundation reads it too")
    }
    if let devices = ControlledDevice.list(parsing: bytes) {
        precondition(HomeChange.between(house, devices).count < 100_000)
        _ = devices.map { $0.activators.map(\.stateText) }
        for device in devices {
            var written: [UInt8] = []
            device.write(to: &written)
            precondition(String(decoding: written, as: UTF8.self) == device.json.text)
        }
    }
    precondition(ServerError(status: 500, contentType: text, body: bytes).description.utf8.count < 10_000)
    return 0
}

private struct Skipped: JSONReadable {
    init(reading reader: inout JSONReader) throws(JSONFault) { try reader.skip() }
}

private struct Anything: Decodable {
    init(from decoder: any Decoder) {}
}

private let house: [ControlledDevice] = {
    let json = """
        [{"deviceId": "1", "name": "Kitchen light", "type": "Light", "activators":
          [{"activatorId": "2", "rank": 0, "name": "On/Off", "type": "bool", "state": true},
           {"activatorId": "3", "rank": 1, "name": "Dimmer", "type": "float", "state": 0.5}]},
         {"deviceId": "4", "name": "Front door", "type": "Lock", "activators":
          [{"activatorId": "5", "rank": 0, "name": "Activate", "type": "bool", "state": false}]}]
        """
    return ControlledDevice.list(parsing: Array(json.utf8)) ?? []
}()
