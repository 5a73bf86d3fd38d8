import FoundationEssentials
import Testing

/// The vectors under samples/vectors: made by make-vectors, which shares no code with this package.
struct Vectors<Accepted: Decodable & Sendable>: Decodable, Sendable {
    struct Rejected: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let error: String
        var testDescription: String { name }
    }

    let accepted: [Accepted]
    let rejected: [Rejected]

    static func read(_ name: String) -> Vectors {
        let path = packageRoot + "/samples/vectors/\(name).json"
        do {
            return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            fatalError("\(path): \(error)")  // a test without its vectors must not pass
        }
    }
}

/// The package's top folder, from where this file stands.
let packageRoot = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()

func bytes(hex: String) -> [UInt8] {
    stride(from: 0, to: hex.count, by: 2).compactMap { offset in
        let start = hex.index(hex.startIndex, offsetBy: offset)
        return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16)
    }
}
