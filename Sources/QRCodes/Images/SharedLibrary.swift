import Glibc

/// The library of a codec, loaded when the first picture of its kind comes.
///
/// Few people have such pictures, and every command would pay for all of them at its start: libheif brings
/// six libraries more and 3 to 7 ms, half of what `hubpair --version` takes. Where one is missing, the other
/// formats work all the same. Never unloaded: codecs keep state of their own.
struct SharedLibrary {
    private let handle: UnsafeMutableRawPointer
    private let format: ImageFormat

    /// `file` is the library's name with the number of its interface, which the headers were made for.
    init(_ file: String, for format: ImageFormat) throws(ImageError) {
        guard let handle = dlopen(file, RTLD_NOW) else { throw .missing(format) }
        self.handle = handle
        self.format = format
    }

    /// A function of the library, with the type that the C shim found in the library's header.
    func function<Function>(
        _ find: (UnsafeMutableRawPointer?) -> Function?
    ) throws(ImageError) -> Function {
        guard let found = find(handle) else { throw .missing(format) }
        return found
    }
}
