extension FixedWidthInteger {
    /// The number that `text` writes in ASCII digits alone: no sign, no white space, at most 20 digits.
    ///
    /// `Int("+1")` is 1; a file or an option that is read that way accepts what nobody else would write.
    @inlinable package init?(digits text: some StringProtocol) {
        let isDigits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isDigits, (1...20).contains(text.utf8.count) else { return nil }
        self.init(String(text))
    }
}
