import CSandbox
import Glibc
import QRCodes

/// What this program may still do while it works on a request, once it has loaded its libraries.
///
/// | request | system calls | files, where the kernel has Landlock |
/// |---|---|---|
/// | a picture; a drawing without text | memory, standard input and output, threads | none |
/// | a page with text | reading files too | fonts, and what says where they are |
/// | a PDF to read | starting programs too: pdftoppm, which inherits the lock | the system's, and fonts |
///
/// No request has the network, another process, or a file to write. Without Landlock (Linux before 5.13, or
/// not switched on) a page may read any file of its user, and pdftoppm too; pictures may not.
struct PictureLock {
    private let kind: hubpair_lock
    private let paths: [String]
    private let memory: Int
    private let seconds: Double
    private let load: () -> Void

    init(for request: PictureRequest) {
        switch request {
        case .draw(let drawing):
            (memory, seconds) = (2 << 30, CodeDrawing.seconds)
            load = { PictureLibraries.load(for: drawing) }
            if case .pdf = drawing.form {
                (kind, paths) = (HUBPAIR_LOCK_FILES, PictureLock.fonts)
            } else {
                (kind, paths) = (HUBPAIR_LOCK_NOTHING, [])
            }
        case .search(let search, let format):
            memory = search.memoryLimit
            seconds = search.times(pixels: search.limits.maximumPixels).end
            load = {
                PictureLibraries.load(for: search, format)
                hubpair_load_charsets()
            }
            if format == .pdf {
                (kind, paths) = (HUBPAIR_LOCK_PROGRAMS, PictureLock.programs + PictureLock.fonts)
            } else {
                (kind, paths) = (HUBPAIR_LOCK_NOTHING, [])
            }
        }
    }

    /// - Throws: `PictureProgramError.notLocked`: nothing may be looked at then.
    func close() throws(PictureProgramError) {
        load()
        let space = PictureLock.addressSpace.map { $0 + memory } ?? 0
        var pointers = paths.map { UnsafePointer(strdup($0)) }
        let fault = pointers.withUnsafeMutableBufferPointer {
            hubpair_lock_in(kind, $0.baseAddress, $0.count, space, UInt32(seconds.rounded(.up)) + 2)
        }
        for pointer in pointers { free(UnsafeMutablePointer(mutating: pointer)) }
        guard fault == 0 else { throw .notLocked(fault) }
    }

    private static var programs: [String] {
        let places = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":")
        return ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"] + places.map { "\($0)/pdftoppm" }
    }

    private static var fonts: [String] {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        let home = variable("HOME") ?? "/nonexistent"
        return [
            "/usr/share", "/usr/local/share", "/usr/lib", "/etc/fonts", "/var/cache/fontconfig",
            "\(home)/.fonts", "\(home)/.config/fontconfig", "\(home)/.cache/fontconfig",
            "\(variable("XDG_DATA_HOME") ?? "\(home)/.local/share")/fonts",
        ] + ["FONTCONFIG_FILE", "FONTCONFIG_PATH"].compactMap(variable)
            + (variable("XDG_CACHE_HOME").map { ["\($0)/fontconfig"] } ?? [])
    }

    /// The address space that this process has mapped, in bytes: the first number of `/proc/self/statm`, in
    /// pages.
    private static var addressSpace: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(file, &text, text.count)
        let digits = text.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
        return Int(String(decoding: digits, as: UTF8.self)).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }
}
