import FuzzTargets
import Glibc

// libFuzzer's entry point for programs with their own main, like SwiftPM's executables.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer,
    _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

// libFuzzer's library also contains a main, which is never called but needs this symbol.
@_cdecl("LLVMFuzzerTestOneInput")
func unused(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt { -1 }

guard CommandLine.argc > 1, let target = FuzzTargets.all[CommandLine.arguments[1]] else {
    print("usage: Fuzz \(FuzzTargets.all.keys.sorted().joined(separator: "|")) [libFuzzer's options]")
    exit(64)
}
// Pass the arguments from the target's name on: libFuzzer takes the first one as the program's name.
var argumentCount = CommandLine.argc - 1
var arguments = CommandLine.unsafeArgv + 1
let status = withUnsafeMutablePointer(to: &arguments) { pointer in
    runDriver(&argumentCount, UnsafeMutableRawPointer(pointer), target)
}
exit(status)
