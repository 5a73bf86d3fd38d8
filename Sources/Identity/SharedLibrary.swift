#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc

/// A system library that is loaded at its first use instead of at the start of every command.
///
/// libheif, libzbar and Cairo load up to 20 other libraries each, in 3 to 7 ms: more than a start of
/// `hubpair` takes. If a library is missing, everything that does not need it still works.
/// Libraries are never unloaded: they keep state of their own.
package struct SharedLibrary<Failure: Error> {
    /// As dlopen(3) returns it.
    private let handle: UnsafeMutableRawPointer
    private let failure: (_ message: String) -> Failure

    /// - Parameters:
    ///   - file: the library's file name with the version of its interface (the one of the C headers). It has
    ///     no path, so that only the system's directories are searched.
    ///   - prefersItsOwn: of functions with one name in two libraries it calls its own (RTLD_DEEPBIND, which
    ///     glibc's header shows only with _GNU_SOURCE).
    ///   - failure: turns the loader's message into an error.
    package init(
        _ file: String, prefersItsOwn: Bool = false,
        orThrow failure: @escaping (_ message: String) -> Failure
    ) throws(Failure) {
        let flags = RTLD_NOW | RTLD_LOCAL | (prefersItsOwn ? 8 : 0)
        guard let handle = dlopen(file, flags) else { throw failure(loaderMessage() ?? file) }
        self.handle = handle
        self.failure = failure
    }

    /// A function of the library. `find` is a `lazy_` function of the C shim: it looks the name up, and has
    /// the type from the library's header.
    package func function<Function>(_ find: (UnsafeMutableRawPointer?) -> Function?) throws(Failure)
        -> Function
    {
        guard let found = find(handle) else { throw missingFunction }
        return found
    }

    /// All functions that a C shim names, in its structure.
    ///
    /// - Parameters:
    ///   - none: the structure without any.
    ///   - load: fills it in; 0 if one is missing.
    package func functions<Functions>(
        _ none: Functions, _ load: (UnsafeMutablePointer<Functions>?, UnsafeMutableRawPointer?) -> Int32
    ) throws(Failure) -> Functions {
        var functions = none
        guard load(&functions, handle) == 1 else { throw missingFunction }
        return functions
    }

    private var missingFunction: Failure { failure(loaderMessage() ?? "a function is missing") }
}

private func loaderMessage() -> String? { dlerror().map { String(cString: $0) } }
#endif
