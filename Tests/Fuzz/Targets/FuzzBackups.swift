import Backups
import Crypto
import FoundationEssentials

/// scrypt takes a second and 256 MiB, so any key stands for what it makes: the format is the same.
private func key(_ salt: [UInt8], _ work: Int) -> SymmetricKey {
    SymmetricKey(data: SHA256.hash(data: salt + [UInt8(truncatingIfNeeded: work)]))
}

/// Opens any bytes as a backup's age file, and what is written with one bit changed, cut, or continued: only
/// the file that was written is read, and no work above the limit is asked for.
func fuzzAge(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let opened = try? AgeFile.decrypt(bytes) { salt, work in
        precondition(salt.count == 16 && (1...AgeFile.mostWork).contains(work))
        return key(salt, work)
    }
    precondition(opened.map { $0.count < bytes.count } ?? true, "the content is shorter than its file")

    guard count >= 8 else { return 0 }
    // Also contents of several chunks (64 KiB).
    let content = bytes[0] % 16 == 0 ? Array(repeatElement(bytes, count: 200_000 / count).joined()) : bytes
    guard let file = try? AgeFile.encrypt(content, work: 1 + Int(bytes[1] % 20), wrappingKey: key) else {
        preconditionFailure("it can always be written")
    }
    precondition((try? AgeFile.decrypt(file, wrappingKey: key)) == content, "what is written is read")
    let place = bytes[2..<6].reduce(0) { $0 << 8 | Int($1) } % file.count
    var other = file
    switch bytes[6] % 4 {
    case 0: other[place] ^= 1 << (bytes[7] % 8)
    case 1: other.removeSubrange(place...)
    case 2: other += bytes
    default: other.insert(bytes[7], at: place)
    }
    let read = try? AgeFile.decrypt(other, wrappingKey: key)
    precondition(other == file || read == nil, "no other file is read")
    return 0
}

private let names = ["hub", "approved-devices", "household.sqlite"]

private func archive(_ bytes: [UInt8]) -> TarArchive? {
    TarArchive(parsing: bytes, names: names) { $0 == "hub" ? 512 : 1 << 16 }
}

/// Reads any bytes as a backup's archive, and headers that were changed, their checksum mended: what is read
/// is written as the same bytes, with names that are known, each once, and no file beyond its limit.
func fuzzTar(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    check(bytes)
    guard count >= 8 else { return 0 }
    var rest = bytes.dropFirst(8)
    var files: [TarArchive.File] = []
    for (index, name) in names.enumerated() where bytes[0] & 1 << UInt8(index) != 0 {
        let part = rest.prefix(Int(bytes[index + 1]) * 4)
        files.append(TarArchive.File(name: name, bytes: Array(part)))
        rest = rest.dropFirst(part.count)
    }
    let seconds = bytes[4..<8].reduce(0) { $0 << 8 | Int($1) }
    let made = TarArchive(files, modified: Date(timeIntervalSince1970: Double(seconds)))
    let isSmall = files.allSatisfy { $0.name != "hub" || $0.bytes.count <= 512 }
    let isRead = !files.isEmpty && isSmall
    precondition(archive(made.serialized) == (isRead ? made : nil), "what is written is read")
    // Some bytes of the headers, as a forger would change them: the checksum is right again.
    var forged = made.serialized
    for (index, byte) in rest.prefix(32).enumerated() where index % 3 == 2 {
        let place = (Int(rest[rest.startIndex + index - 2]) << 8 | Int(rest[rest.startIndex + index - 1]))
        forged[place % forged.count] = byte
    }
    mend(&forged)
    check(forged)
    check(forged + bytes)
    return 0
}

private func check(_ bytes: [UInt8]) {
    guard let read = archive(bytes) else { return }
    precondition(read.serialized == bytes, "there is one way to write it")
    precondition(Set(read.files.map(\.name)).count == read.files.count && !read.files.isEmpty)
    precondition(read.files.allSatisfy { names.contains($0.name) && $0.bytes.count <= 1 << 16 })
}

/// Writes the checksum that the first header has now.
private func mend(_ bytes: inout [UInt8]) {
    guard bytes.count >= 512, bytes[0] != 0 else { return }
    for index in 148..<156 { bytes[index] = 0x20 }
    let sum = String(bytes[..<512].reduce(0) { $0 + Int($1) }, radix: 8)
    let digits = String(repeating: "0", count: max(0, 6 - sum.utf8.count)) + sum
    bytes.replaceSubrange(148..<156, with: Array(digits.utf8) + [0, 0x20])
}
