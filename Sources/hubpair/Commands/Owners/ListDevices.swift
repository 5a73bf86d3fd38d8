import FoundationEssentials
import Pairing

/// `hubpair devices`, as a plain value.
struct ListDevices: Equatable {
    var place = AdministeredHub()
    var json = false

    func run() async throws {
        try write(try await place.acting { try await $0.devices() })
    }

    private func write(_ devices: [DeviceRecord]) throws {
        if devices.isEmpty, !json {
            Console.note("no device has paired yet; '\(place.command("print"))' makes a code for one")
        }
        try DeviceLine.write(devices, at: Date(), json: json)
    }
}
