import CQREncode
import Glibc
public import Identity

/// A QR code symbol (ISO/IEC 18004) as a square of dark and light modules, without its quiet zone.
public struct QRSymbol: Equatable, Sendable {
    /// The level of error correction: how much damage a reader can repair.
    public enum ErrorCorrection: Equatable, Sendable {
        /// About 7 %.
        case low
        /// About 15 %.
        case medium
        /// About 25 %.
        case quartile
        /// About 30 %.
        case high
    }

    /// The light border that a reader needs on every side, in modules; ISO/IEC 18004 § 9.1.
    public static let quietZone = 4
    /// The side of a module in a PNG, in pixels.
    public static let pixelsPerModuleRange = 1...64

    /// What the symbol holds.
    public let payload: [UInt8]
    /// 1 to 40.
    public let version: Int
    /// 17 + 4 × version: 21 to 177.
    public let modulesPerSide: Int
    /// True for dark, `modulesPerSide`² of them, row by row.
    private let modules: [Bool]

    /// The smallest symbol that holds `payload` (1 to 7,089 bytes, NUL allowed) at this level.
    ///
    /// It has the densest mode that allows every byte: numeric, alphanumeric (`0`–`9`, `A`–`Z`, space and
    /// `$%*+-./:`), or 8-bit; and where one byte alone keeps it from being alphanumeric, as `#` in an
    /// address, that byte is 8-bit and what stands on both sides of it is not.
    public static func encode(
        _ payload: [UInt8], errorCorrection: ErrorCorrection = .medium
    ) throws(QREncodeError) -> QRSymbol {
        guard !payload.isEmpty else { throw .empty }
        // No mode holds more, and the count must fit a C int.
        guard payload.count <= 7089 else { throw .tooLong(payload.count) }
        let input = try QRInput(level: errorCorrection.level)
        for part in payload.parts { try input.append(part, mode: part.densestMode) }
        return try input.symbol(payload: payload)
    }

    /// True if the module in column `x` and row `y` is dark. Modules outside the symbol are light.
    public func isDark(x: Int, y: Int) -> Bool {
        let inside = 0..<modulesPerSide
        return inside.contains(x) && inside.contains(y) && modules[y * modulesPerSide + x]
    }

    /// Runs of dark modules in a row, from the upper left: row, first column, length.
    var darkRuns: [(y: Int, x: Int, length: Int)] {
        var runs: [(y: Int, x: Int, length: Int)] = []
        for y in 0..<modulesPerSide {
            var x = 0
            while x < modulesPerSide {
                let start = x
                while isDark(x: x, y: y) { x += 1 }
                if x > start { runs.append((y, start, x - start)) }
                x += 1
            }
        }
        return runs
    }

    /// The side of the symbol with its quiet zone, in modules: 29 to 185.
    var framedSide: Int { modulesPerSide + 2 * QRSymbol.quietZone }

    fileprivate init(payload: [UInt8], version: Int, modulesPerSide: Int, modules: [Bool]) {
        self.payload = payload
        self.version = version
        self.modulesPerSide = modulesPerSide
        self.modules = modules
    }
}

/// Why some bytes do not become a QR code. `description` is shown to the user.
public enum QREncodeError: Codable, Equatable, UserError {
    /// The payload is empty. An empty code is useless, and readers handle it differently.
    case empty
    /// This many bytes do not fit the largest symbol (version 40) at the requested level.
    case tooLong(Int)
    /// libqrencode cannot be loaded.
    case missingLibrary
    /// libqrencode cannot allocate memory.
    case outOfMemory
    /// Another error of libqrencode, with this errno.
    case refused(Int32)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .empty: "there is nothing to put into the QR code"
        case .tooLong(let count): "\(count) bytes are too many for a QR code"
        case .missingLibrary: "the library libqrencode is not installed"
        case .outOfMemory: "there is not enough memory to make the QR code"
        case .refused(let number): "libqrencode refuses to make the QR code (errno \(number))"
        }
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind { self == .missingLibrary ? .unavailable : .tryAgain }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        switch self {
        case .missingLibrary: "apt install libqrencode4"
        case .empty: "give at least one byte"
        case .tooLong: "give at most 2,331 bytes, or 3,391 letters and digits in upper case"
        case .outOfMemory: "close other programs and try again"
        case .refused: "check that libqrencode 4 is installed: apt install libqrencode4"
        }
    }
}

extension QRSymbol.ErrorCorrection {
    fileprivate var level: QRecLevel {
        switch self {
        case .low: QR_ECLEVEL_L
        case .medium: QR_ECLEVEL_M
        case .quartile: QR_ECLEVEL_Q
        case .high: QR_ECLEVEL_H
        }
    }
}

extension [UInt8] {
    /// The payload in the parts that have a mode each. A change of mode costs at most 13 bits, and a byte in
    /// the 8-bit mode 2.5 more than in the alphanumeric: it pays from 12 characters on.
    fileprivate var parts: [[UInt8]] {
        let foreign = indices.filter { !self[$0].isAlphanumeric }
        guard foreign.count == 1, let index = foreign.first, index >= 12, count - index > 12 else {
            return [self]
        }
        return [Array(self[..<index]), [self[index]], Array(self[(index + 1)...])]
    }

    fileprivate var densestMode: QRencodeMode {
        if allSatisfy({ (0x30...0x39).contains($0) }) { return QR_MODE_NUM }
        return allSatisfy(\.isAlphanumeric) ? QR_MODE_AN : QR_MODE_8
    }
}

extension UInt8 {
    /// True if QR's alphanumeric mode has it (ISO/IEC 18004 § 7.3.4).
    fileprivate var isAlphanumeric: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A: true
        default: " $%*+-./:".utf8.contains(self)
        }
    }
}

/// The functions of libqrencode that are used here, loaded with the first code.
enum QREncodeLibrary {
    private static let loaded = Result { () throws(QREncodeError) in
        try SharedLibrary("libqrencode.so.4") { _ in QREncodeError.missingLibrary }
            .functions(hubpair_qrencode(), hubpair_load_qrencode)
    }

    static func load() throws(QREncodeError) -> hubpair_qrencode { try loaded.get() }
}

/// The only owner of a libqrencode input.
private struct QRInput: ~Copyable {
    let library: hubpair_qrencode
    let pointer: OpaquePointer

    /// Version 0 lets the library choose the smallest.
    init(level: QRecLevel) throws(QREncodeError) {
        let library = try QREncodeLibrary.load()
        guard let pointer = library.QRinput_new2(0, level) else { throw .outOfMemory }
        (self.library, self.pointer) = (library, pointer)
    }

    deinit { library.QRinput_free(pointer) }

    func append(_ bytes: [UInt8], mode: QRencodeMode) throws(QREncodeError) {
        guard library.QRinput_append(pointer, mode, Int32(bytes.count), bytes) == 0 else {
            throw .refused(errno)
        }
    }

    func symbol(payload: [UInt8]) throws(QREncodeError) -> QRSymbol {
        errno = 0
        guard let code = library.QRcode_encodeInput(pointer) else {
            switch errno {
            case ERANGE: throw .tooLong(payload.count)
            case ENOMEM: throw .outOfMemory
            case let number: throw .refused(number)
            }
        }
        defer { library.QRcode_free(code) }
        let side = Int(code.pointee.width)
        guard (21...177).contains(side), let data = code.pointee.data else { throw .refused(0) }
        // Bit 0 is the colour; the other bits say what the module is for.
        let modules = UnsafeBufferPointer(start: data, count: side * side).map { $0 & 1 == 1 }
        return QRSymbol(
            payload: payload, version: Int(code.pointee.version), modulesPerSide: side, modules: modules)
    }
}
