// swift-tools-version: 6.2
import PackageDescription

// Swift 6 language mode comes with the tools version. Every warning in a target of ours is an error.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Half of the time to start: 30,000 symbols that nobody looks up are not exported, and 87,000 relocations
// take a hundredth of their room (DT_RELR, glibc 2.36), which of the toolchain's linkers only lld can do. A
// package that depends on one of the libraries builds without these flags.
//
// A sixth of the rest: the Swift runtime and BoringSSL need little of the C++ library, and the shared one has
// 5,200 relocations for every start. The Swift driver asks for it by itself, so its file is replaced with an
// empty one, and the static one is named.
let quickStart = [
    "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
    "-Xlinker", "--remap-inputs=*/libstdc++.so=/dev/null", "-Xlinker", "-l:libstdc++.a",
    "-Xclang-linker", "-static-libgcc",
    // All is bound before the program runs, and cannot be written afterwards.
    "-Xlinker", "-z", "-Xlinker", "now",
]

let package = Package(
    name: "hubpair",
    products: [
        .library(name: "Discovery", targets: ["Discovery"]),
        .library(name: "Pairing", targets: ["Pairing"]),
        .library(name: "QRCodes", targets: ["QRCodes"]),
        // The device's side: pair with a code, open a connection to a hub whose key is checked.
        .library(name: "HubClient", targets: ["HubClient"]),
        .executable(name: "hubpair", targets: ["hubpair"]),
        .executable(name: "hubpair-picture", targets: ["hubpair-picture"]),
        // The household behind the gate; `hubpair serve` runs it.
        .executable(name: "hubpair-house", targets: ["hubpair-house"]),
    ],
    dependencies: [
        // The command line: parsing, help, usage errors with exit code 64.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // P-256, SHA-256, HMAC, HKDF: BoringSSL behind CryptoKit's API; never our own cryptography.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
        // The self-signed X.509 certificate that carries a hub's or a device's key in TLS.
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.0"),
        // HTTPS on both sides. Bare NIO and not Hummingbird: a gateway compares raw request targets, judges
        // the framing, streams both ways with back pressure, hands upgraded connections through and closes
        // those of a revoked device, all of it below a router and its response types; Hummingbird also loads
        // Foundation at every start and served half the requests a second on the same machine.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        // One line an event from `serve`, in the form that Swift servers share.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // `swift package generate-documentation`: a command only. No target uses it, so a build fetches it
        // and no more.
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    ],
    targets: [
        // Floor 0: C libraries. Module maps and a shim header, no logic. Of avahi only what has no daemon in
        // it is linked; the client is loaded when it is needed: with it come libdbus, libsystemd and nine
        // more, which `scan` or `print` would load at their start for nothing. avahi-client's pkg-config file
        // has a flag that SwiftPM prohibits, so the map links by itself.
        .systemLibrary(name: "CAvahi", providers: [.apt(["libavahi-client-dev"])]),
        // avahi's stack, for announcing without its daemon. Its header only: libavahi-core is loaded when it
        // is needed, too. Both export an avahi_entry_group_free, and they differ.
        .systemLibrary(name: "CAvahiCore", providers: [.apt(["libavahi-core-dev"])]),
        // Loaded with the first code or picture, never linked. These three cost every start a tenth of its
        // time; with libzbar come the libraries of cameras and of X11.
        .systemLibrary(name: "CQREncode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CPNG", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CTurboJPEG", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CZBar", providers: [.apt(["libzbar-dev"])]),
        // Headers only, the map has no `link`: linked, Cairo and Pango would cost every start of every
        // command some 20 shared libraries more, for a PDF now and then.
        // QRCodes/Drawing/PDF/CairoLibrary.swift loads them.
        .systemLibrary(name: "CCairo", providers: [.apt(["libcairo2-dev"])]),
        // Loaded at run time, when the first picture of their kind comes, and never linked: libheif brings
        // six libraries more and 3 to 7 ms to the start of every command, and reading PNG needs none of them.
        .systemLibrary(name: "CWebP", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CHEIF", providers: [.apt(["libheif-dev"])]),
        .systemLibrary(name: "CGIF", providers: [.apt(["libgif-dev"])]),
        // Loaded by `serve` alone, never linked: every other command starts without it.
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        // Loaded by the house once an MQTT broker has joined it, never linked. Of libraries for MQTT none is
        // among the Swift packages that we can have; libmosquitto is the broker's own, in Debian since 2014.
        .systemLibrary(name: "CMosquitto", providers: [.apt(["libmosquitto-dev"])]),
        // What Swift cannot call of glibc, of the kernel, and of the compiler's vectors.
        .systemLibrary(name: "CGlibc"),
        // Locks hubpair-picture in, and copies it: seccomp, Landlock, clone.
        .systemLibrary(name: "CSandbox"),
        // Locks the gate in, and starts its house from outside.
        .systemLibrary(name: "CGate"),
        // Loaded when a browser asks for the page, never linked.
        .systemLibrary(name: "CZLib", providers: [.apt(["zlib1g-dev"])]),
        // The files of the hub's page, embedded.
        .target(name: "CPage", exclude: ["files"]),
        // All words in other languages than English, embedded.
        .target(name: "CTexts", exclude: ["languages"]),

        // Floor 1: values and rules, no connection of their own. First what all others share: pins,
        // fingerprints, names and errors; addresses and interfaces; JSON.
        .target(
            name: "Identity",
            dependencies: [.product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict
        ),
        .target(
            name: "Addresses",
            // What Pairing needs of it also builds for an app on another platform.
            dependencies: ["Identity", .target(name: "CGlibc", condition: .when(platforms: [.linux]))],
            swiftSettings: strict),
        // The one reader and writer of JSON: for the exchange, where a key that stands twice is refused, and
        // for a hub's answers.
        .target(name: "JSON", dependencies: ["Identity"], swiftSettings: strict),
        .target(name: "Languages", dependencies: ["CTexts"], swiftSettings: strict),
        // Who is on the network: mDNS and UDP.
        .target(
            name: "Discovery",
            dependencies: [
                "Addresses", "CAvahi", "CAvahiCore", "CGlibc", "Identity",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        // Images and QR codes, both ways. One module: its loops are hot, and are optimised under sanitizers
        // too.
        .target(
            name: "QRCodes",
            dependencies: [
                "CCairo", "CGIF", "CGlibc", "CHEIF", "CPNG", "CQREncode", "CSandbox", "CTurboJPEG", "CWebP",
                "CZBar", "Identity",
            ],
            swiftSettings: strict
        ),
        // Codes, the pairing exchange, its policy, keyfiles.
        .target(
            name: "Pairing",
            dependencies: [
                "Addresses", "CGlibc", "Identity", "JSON", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        // What a hub controls: appliances, spoken orders. No connection, so all of it can be fuzzed.
        .target(
            name: "Home", dependencies: ["Addresses", "Identity", "JSON", "Pairing"], swiftSettings: strict),
        // What people share on the hub: rooms, scenes and when they run, rules, states and messages. Pure as
        // Home is: time, zone and place are parameters.
        .target(
            name: "Household", dependencies: ["Home", "Identity", "JSON", "Pairing"], swiftSettings: strict),
        // The file of a backup: age and tar. scrypt, which takes a second, is its caller's: it can be fuzzed.
        .target(
            name: "Backups",
            dependencies: ["Identity", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        // What strangers' bytes may do: requests, answers, targets and fields of the gateway. No NIO: every
        // byte that decides can be fuzzed.
        .target(
            name: "GatewayRules", dependencies: ["Addresses", "Identity", "Pairing"], swiftSettings: strict),
        // The files of the page, and the header fields that keep it safe.
        .target(
            name: "HubPage",
            dependencies: [
                "CPage", "CZLib", "GatewayRules", "Identity", "JSON", "Languages",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        // A key, its certificate, and TLS that checks pins: what both sides of the pairing share.
        .target(
            name: "PinnedTLS",
            dependencies: [
                "Addresses", "Identity",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),

        // Floor 2: the hub's side and the device's side; each use of the tool is one file here.
        .target(
            name: "HubService",
            dependencies: [
                "Addresses", "Backups", "CGate", "CGlibc", "Discovery", "GatewayRules", "Home",
                "Household", "HubPage", "Identity", "JSON", "Languages", "Pairing", "PinnedTLS", "QRCodes",
                .product(name: "Crypto", package: "swift-crypto"),
                // scrypt, for the passphrase of a backup.
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        // The household behind the gate: states, messages, scenes, rules, hooks, and the one database.
        .target(
            name: "House",
            dependencies: [
                "Addresses", "CGlibc", "CMosquitto", "CSQLite", "GatewayRules", "Home", "Household",
                "HubPage",
                "HubService", "Identity", "JSON", "Pairing",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                // Home Assistant tells its states by WebSocket alone.
                .product(name: "NIOWebSocket", package: "swift-nio"),
                // Push services, which this machine's authorities vouch for.
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "HubClient",
            dependencies: [
                "Addresses", "CGlibc", "Discovery", "GatewayRules", "Home", "Household", "HubPage",
                "Identity", "JSON", "Pairing", "PinnedTLS", "QRCodes",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),

        // Floor 3: a relay, which admits hubs as a hub lets devices in, and a hub's way to be admitted.
        .target(
            name: "Relay",
            dependencies: [
                "Addresses", "GatewayRules", "HubClient", "HubService", "Identity", "JSON", "Pairing",
                "PinnedTLS",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),

        // Floor 3: what is wrong. It asks a hub from outside, as a client does, so it stands on both sides.
        .target(
            name: "Diagnosis",
            dependencies: [
                "Addresses", "CGlibc", "Discovery", "Home", "Household", "HubClient", "HubService",
                "Identity",
                "JSON", "Pairing", "PinnedTLS",
            ],
            swiftSettings: strict
        ),

        // Floor 4: the command line. It parses, calls the floors below and prints.
        .executableTarget(
            name: "hubpair",
            dependencies: [
                "Addresses", "CGlibc", "Diagnosis", "Discovery", "GatewayRules", "Home", "Household",
                "HubClient", "HubService", "Identity", "JSON", "Languages", "Pairing", "PinnedTLS",
                "QRCodes", "Relay",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(quickStart, .when(configuration: .release))]
        ),
        // Reads and draws one picture for a program that starts it, and can do nothing else meanwhile.
        .executableTarget(
            name: "hubpair-picture", dependencies: ["CSandbox", "QRCodes"], swiftSettings: strict,
            linkerSettings: [.unsafeFlags(quickStart, .when(configuration: .release))]
        ),

        // The household's process: states, messages, scenes, rules and hooks.
        .executableTarget(
            name: "hubpair-house",
            dependencies: [
                "House", "HubService", "Identity", "JSON", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(quickStart, .when(configuration: .release))]
        ),

        // An example of each library; built and run by the tests, so that none rots.
        .executableTarget(
            name: "list-hubs", dependencies: ["Discovery"], path: "samples/list-hubs", swiftSettings: strict),
        .executableTarget(
            name: "hub-devices", dependencies: ["Pairing"], path: "samples/hub-devices",
            swiftSettings: strict),
        .executableTarget(
            name: "qr-codes", dependencies: ["QRCodes"], path: "samples/qr-codes", swiftSettings: strict),
        .executableTarget(
            name: "call-hub", dependencies: ["HubClient", "Pairing"], path: "samples/call-hub",
            swiftSettings: strict),

        // What several test targets share.
        .target(
            name: "TestSupport", dependencies: ["GatewayRules"], path: "Tests/Support",
            swiftSettings: strict),
        // What strangers' bytes may do to each parser: replayed by a test, and fuzzed by Tests/Fuzz/run.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Addresses", "Backups", "Discovery", "GatewayRules", "Home", "Household", "HubService",
                "JSON", "Pairing", "QRCodes", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Tests/Fuzz/Targets",
            swiftSettings: strict),
        .testTarget(
            name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "GatewayRulesTests",
            dependencies: ["Addresses", "GatewayRules", "Identity", "Pairing", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "IdentityTests",
            dependencies: ["Identity", "TestSupport", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict),
        .testTarget(
            name: "DiscoveryTests",
            dependencies: [
                "Addresses", "CAvahi", "Discovery", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "QRCodesTests", dependencies: ["CQREncode", "Identity", "QRCodes"],
            swiftSettings: strict,
            // One test writes a code with an ECI header, which QRCodes never does.
            linkerSettings: [.linkedLibrary("qrencode")]),
        .testTarget(
            name: "PairingTests",
            dependencies: [
                "Identity", "Pairing", "TestSupport", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CommandLineTests",
            dependencies: [
                "Diagnosis", "Home", "HubService", "Identity", "JSON", "Languages", "Pairing",
                "TestSupport", "hubpair",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HubServiceTests",
            dependencies: [
                "Addresses", "Backups", "Discovery", "GatewayRules", "Home", "Household", "HubPage",
                "House", "HubService", "Identity", "JSON", "Languages", "Pairing", "PinnedTLS", "QRCodes",
                "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DiagnosisTests",
            dependencies: ["Addresses", "Diagnosis", "Discovery", "Home", "HubService", "Pairing"],
            swiftSettings: strict),
        .testTarget(
            name: "HomeTests", dependencies: ["Home", "Identity", "JSON", "Pairing"],
            swiftSettings: strict),
        .testTarget(
            name: "HouseholdTests",
            dependencies: ["Home", "Household", "Identity", "JSON", "Pairing", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "HubClientTests",
            dependencies: [
                "Addresses", "Discovery", "Home", "HubClient", "Identity", "JSON", "Pairing", "PinnedTLS",
                "TestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
    ]
)

// The fuzz targets need a sanitizer in every module, so they exist only when Tests/Fuzz/run asks for them.
if Context.environment["HUBPAIR_FUZZ"] != nil {
    // What is fuzzed has no connection: BoringSSL and NIO with sanitizers would take many minutes to build.
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: ["FuzzTargets"],
            path: "Tests/Fuzz/Fuzz",
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-use-ld=lld", "-sanitize=fuzzer,address"])]
        ))
}

// Only Tests/Benchmarks/pairings asks for it.
if Context.environment["HUBPAIR_BENCHMARKS"] != nil {
    package.targets.append(
        .executableTarget(
            name: "PairingsBenchmark",
            dependencies: ["Addresses", "HubService", "Pairing"],
            path: "Tests/Benchmarks/Pairings",
            swiftSettings: strict
        ))
}

// Only Tests/run and Tests/sanitize ask for it: as it is written, the search of pictures takes ten times as
// long, which on a slow machine is more than the time that a file may take, and half an hour under a
// sanitizer. All else stays as it is written, since to the thread sanitizer an optimised continuation looks
// like a race (Swift 6.3).
if Context.environment["HUBPAIR_FAST_PICTURES"] != nil {
    for target in package.targets where target.name == "QRCodes" {
        target.swiftSettings = strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]
    }
}
