import Glibc

/// A system library that is loaded at its first use instead of at the start of every command.
///
/// libheif, libzbar and Cairo load up to 20 other libraries each, in 3 to 7 ms; all of `hubpair --version`
/// takes about twice as long. If a library is missing, everything that does not need it still works.
/// Libraries are never unloaded: they keep state of their own.
struct SharedLibrary<Failure: Error> {
    private let handle: UnsafeMutableRawPointer
    private let failure: (_ message: String) -> Failure

    /// `file` is the library's file name with the version of its interface (the one of the C headers). It has
    /// no path, so that only the system's directories are searched. `failure` turns the loader's message into
    /// an error.
    init(_ file: String, orThrow failure: @escaping (_ message: String) -> Failure) throws(Failure) {
        guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) else { throw failure(loaderMessage() ?? file) }
        self.handle = handle
        self.failure = failure
    }

    /// A function of the library. `find` is a `lazy_` function of the C shim: it looks the name up, and has
    /// the type from the library's header.
    func function<Function>(_ find: (UnsafeMutableRawPointer?) -> Function?) throws(Failure) -> Function {
        guard let found = find(handle) else { throw failure(loaderMessage() ?? "a function is missing") }
        return found
    }
}

private func loaderMessage() -> String? { dlerror().map { String(cString: $0) } }
