extension UInt8 {
    /// The value of a hexadecimal digit in ASCII, of either case; nil for any other byte.
    package init?(hexDigit byte: UInt8) {
        switch byte {
        case 0x30...0x39: self = byte - 0x30
        case 0x41...0x46: self = byte - 0x37
        case 0x61...0x66: self = byte - 0x57
        default: return nil
        }
    }

    /// Two hexadecimal digits.
    package func hexDigits(uppercase: Bool = false) -> String {
        (self < 0x10 ? "0" : "") + String(self, radix: 16, uppercase: uppercase)
    }
}
