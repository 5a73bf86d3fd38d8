import Glibc

// libFuzzer's entry for programs with a main of their own, which SwiftPM's executables have.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer,
    _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// libFuzzer's library has a main too, which is never called but wants this name.
@_cdecl("LLVMFuzzerTestOneInput")
func unused(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { -1 }

guard CommandLine.argc > 1, ["codes", "keyfiles", "exchange", "images"].contains(CommandLine.arguments[1])
else {
    print("usage: Fuzz codes|keyfiles|exchange|images [libFuzzer's options]")
    exit(64)
}
// libFuzzer takes what follows the target's name, and that name for the program's.
var argumentCount = CommandLine.argc - 1
var arguments = CommandLine.unsafeArgv + 1
let status = withUnsafeMutablePointer(to: &arguments) { pointer in
    switch CommandLine.arguments[1] {
    case "codes": runDriver(&argumentCount, UnsafeMutableRawPointer(pointer), fuzzCodes)
    case "keyfiles": runDriver(&argumentCount, UnsafeMutableRawPointer(pointer), fuzzKeyFiles)
    case "exchange": runDriver(&argumentCount, UnsafeMutableRawPointer(pointer), fuzzExchange)
    default: runDriver(&argumentCount, UnsafeMutableRawPointer(pointer), fuzzImages)
    }
}
exit(status)
