package import FoundationEssentials

/// A few files as a tar archive (ustar, POSIX.1-1988), so that `age -d | tar -x` opens a backup without
/// hubpair.
///
///     archive = *( header content ) 1024 zeros   ; the content is filled up with zeros to 512 bytes
///
/// Only what this type writes is read: regular files of mode 0600 without owners, under names that the reader
/// knows, each once. So no path, link or size of a foreign archive means anything.
package struct TarArchive: Equatable {
    package struct File: Equatable {
        package let name: String
        package let bytes: [UInt8]

        /// - Parameter name: at most 99 bytes.
        package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
    }

    private static let block = 512

    package let files: [File]
    /// Of all files, in whole seconds from 1970 on.
    package let modified: Date

    package init(_ files: [File], modified: Date) {
        self.files = files
        self.modified = Date(timeIntervalSince1970: max(0, modified.timeIntervalSince1970.rounded(.down)))
    }

    /// - Parameters:
    ///   - names: the only names that are accepted.
    ///   - limit: the most bytes of the file with this name.
    /// - Returns: nil if it is not such an archive.
    package init?(parsing bytes: [UInt8], names: [String], limit: (String) -> Int) {
        guard bytes.count % TarArchive.block == 0 else { return nil }
        var files: [File] = []
        var modified: Date?
        var rest = bytes[...]
        while let first = rest.first, first != 0 {
            let header = rest.prefix(TarArchive.block)
            guard
                let name = names.first(where: { Array($0.utf8) + [0] == header.prefix($0.utf8.count + 1) }),
                !files.contains(where: { $0.name == name }),
                let size = TarArchive.octal(header.dropFirst(124).prefix(11)), size <= limit(name),
                let seconds = TarArchive.octal(header.dropFirst(136).prefix(11)),
                // All other fields, and the checksum.
                Array(header) == TarArchive.header(name, size: size, seconds: seconds)
            else { return nil }
            let time = Date(timeIntervalSince1970: Double(seconds))
            guard modified ?? time == time else { return nil }
            modified = time
            rest = rest.dropFirst(TarArchive.block)
            let room = TarArchive.filled(size)
            guard rest.count >= room, rest.prefix(room).dropFirst(size).allSatisfy({ $0 == 0 }) else {
                return nil
            }
            files.append(File(name: name, bytes: Array(rest.prefix(size))))
            rest = rest.dropFirst(room)
        }
        guard rest.count == 2 * TarArchive.block, rest.allSatisfy({ $0 == 0 }), let modified else {
            return nil
        }
        self.init(files, modified: modified)
    }

    package var serialized: [UInt8] {
        var bytes: [UInt8] = []
        for file in files {
            let seconds = Int(modified.timeIntervalSince1970)
            bytes += TarArchive.header(file.name, size: file.bytes.count, seconds: seconds)
            bytes += file.bytes
            bytes += [UInt8](repeating: 0, count: TarArchive.filled(file.bytes.count) - file.bytes.count)
        }
        return bytes + [UInt8](repeating: 0, count: 2 * TarArchive.block)
    }

    private static func filled(_ size: Int) -> Int { (size + block - 1) / block * block }

    /// - Parameter name: at most 99 bytes.
    private static func header(_ name: String, size: Int, seconds: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
        }
        func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        put(name, at: 0)
        put("0000600", at: 100)  // mode
        put("0000000", at: 108)  // owner
        put("0000000", at: 116)  // group
        put(digits(size, 11), at: 124)
        put(digits(seconds, 11), at: 136)
        put("        ", at: 148)  // the checksum counts as spaces in its own sum
        put("0", at: 156)  // a regular file
        put("ustar", at: 257)
        put("00", at: 263)
        let sum = header.reduce(0) { $0 + Int($1) }
        put(digits(sum, 6) + "\0 ", at: 148)
        return header
    }

    /// The number of 11 octal digits.
    private static func octal(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (0x30...0x37).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 << 3 | Int($1 - 0x30) }
    }
}
