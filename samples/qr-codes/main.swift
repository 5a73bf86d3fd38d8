// Draws a QR code, or reads those of pictures: QRCodes without the command line.
//
//   qr-codes draw TEXT FILE.png
//   qr-codes read FILE...
import Foundation
import QRCodes

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("draw", 3):
        let symbol = try QRSymbol.encode(Array(arguments[1].utf8), errorCorrection: .medium)
        try Data(symbol.png(pixelsPerModule: 8)).write(to: URL(filePath: arguments[2]))
    case ("read", 2...):
        for path in arguments.dropFirst() {
            for code in try ScannedQRCode.all(inImage: Array(Data(contentsOf: URL(filePath: path)))) {
                // A code holds any bytes; debugDescription escapes what would reach the terminal.
                print(String(decoding: code.payload, as: UTF8.self).debugDescription)
            }
        }
    default:
        print("usage: qr-codes draw TEXT FILE.png, or qr-codes read FILE...")
        exit(64)
    }
} catch let error as any UserError {
    print("error: \(error)\(error.hint.map { "; \($0)" } ?? "")")
    exit(1)
}
