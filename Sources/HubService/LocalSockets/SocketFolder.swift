import Glibc
import Pairing

/// The folder of the sockets between a gate and its house: where the hub says, or while nothing can be
/// written there, a folder of its own among the temporary ones, which only the house that this gate runs
/// knows of.
struct SocketFolder: Sendable {
    let path: String
    private let isTemporary: Bool

    /// - Parameter isOwn: the gate runs the house itself.
    init(_ state: HubState, isOwn: Bool) {
        let made = isOwn && !SocketFolder.canMake(state.sockets) ? SocketFolder.temporary() : nil
        (path, isTemporary) = (made ?? state.sockets, made != nil)
    }

    /// Takes away what was made.
    func remove() {
        guard isTemporary else { return }
        for name in [LocalSocket.gate, LocalSocket.house] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    private static func canMake(_ folder: String) -> Bool {
        guard let (socket, _) = try? LocalSocket.listen(LocalSocket.gate, in: folder) else { return false }
        close(socket)
        return true
    }

    /// The folder of temporary files.
    static var base: String {
        (getenv("XDG_RUNTIME_DIR") ?? getenv("TMPDIR")).map { String(cString: $0) } ?? "/tmp"
    }

    private static func temporary() -> String? {
        var template = Array("\(base)/hubpair-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil, let end = template.firstIndex(of: 0) else { return nil }
        return String(decoding: template[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
