/// What is fuzzed, by name: each takes any bytes, and traps if a parser breaks its word.
package enum FuzzTargets {
    package typealias Target = @Sendable @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

    package static let all: [String: Target] = [
        "age": fuzzAge, "answers": fuzzAnswers, "codes": fuzzCodes, "datagrams": fuzzDatagrams,
        "dns": fuzzDNS, "etcd": fuzzEtcd, "exchange": fuzzExchange, "gate": fuzzGate,
        "hellos": fuzzHellos, "images": fuzzImages, "keyfiles": fuzzKeyFiles,
        "picturelines": fuzzPictureLines, "requests": fuzzRequests, "statements": fuzzStatements,
        "symbols": fuzzSymbols, "tar": fuzzTar, "words": fuzzWords,
    ]
}
