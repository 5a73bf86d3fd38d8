// Shows the devices of a hub, and revokes one, beside a running `hubpair serve`: Pairing and its keyfiles.
//
//   hub-devices DIRECTORY [NAME]      NAME: revoke the devices of this name
import Foundation
import Pairing

let arguments = Array(CommandLine.arguments.dropFirst())
guard let directory = arguments.first else {
    print("usage: hub-devices DIRECTORY [NAME]")
    exit(64)
}
let files = HubFiles(directory: directory)
do {
    if arguments.count > 1 {
        try files.update { devices, _ in
            for var device in devices.devices where device.name.description == arguments[1] {
                device.status = .revoked
                devices.insert(device)
            }
        }
    }
    for device in try files.read().devices.devices {
        print(device.fingerprint, device.status.rawValue, device.name.description.debugDescription)
    }
} catch let error as any UserError {
    print("error: \(error)\(error.hint.map { "; \($0)" } ?? "")")
    exit(1)
}
