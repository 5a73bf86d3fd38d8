import CMosquitto
import Identity

/// The functions of libmosquitto, loaded when a broker has joined the house. A house without one needs no
/// such library.
///
/// Sendable: it holds only addresses of functions, which never change. What they work on belongs to one
/// thread (``MQTTLink``).
struct MosquittoLibrary: @unchecked Sendable {
    let functions: hubpair_mosquitto

    /// Never reaches a user: the log has its words.
    struct Missing: Error {
        let words: String
    }

    private static let loaded = Result { () throws(Missing) in try MosquittoLibrary() }

    static func load() throws(Missing) -> MosquittoLibrary { try loaded.get() }

    private init() throws(Missing) {
        functions = try SharedLibrary("libmosquitto.so.1") { Missing(words: $0) }
            .functions(hubpair_mosquitto(), hubpair_load_mosquitto)
        _ = functions.mosquitto_lib_init()
    }

    func words(_ code: Int32) -> String {
        functions.mosquitto_strerror(code).map { String(cString: $0).lowercased() } ?? "error \(code)"
    }
}
