// swift-tools-version: 6.2
import PackageDescription

/// Our own targets build without a single warning; dependencies are not ours to judge.
let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

/// The commit, if it is set for the build: CAST2MQTT_COMMIT=$(git rev-parse HEAD) swift build. A value that is not hexadecimal is ignored.
let commit: [CSetting] =
    Context.environment["CAST2MQTT_COMMIT"].flatMap { text in
        (7...40).contains(text.count) && text.allSatisfy { "0123456789abcdef".contains($0) }
            ? [.define("CAST2MQTT_COMMIT", to: "\"\(text)\"")] : nil
    } ?? []

/// What only the programs need, and the tests: an app that wants a library says `traits: []`, and then fetches none of it.
let programs = TargetDependencyCondition.when(traits: ["Programs"])
/// What certificates need: the proof of devices, those of simulated ones, and those of the servers of media.
let certificates = TargetDependencyCondition.when(traits: ["DeviceAuthentication"])

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle", condition: programs)
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle", condition: programs)
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser", condition: programs)
let yams = Target.Dependency.product(name: "Yams", package: "Yams", condition: programs)
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto", condition: certificates)
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto", condition: certificates)
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates", condition: certificates)
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird", condition: programs)
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird", condition: programs)
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird", condition: programs)
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types", condition: programs)
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1", condition: certificates)

let package = Package(
    name: "cast2mqtt",
    products: [
        .library(name: "CastSender", targets: ["CastSender"]),
        .library(name: "CastMediaCheck", targets: ["CastMediaCheck"]),
        .library(name: "CastReceiverSimulator", targets: ["CastReceiverSimulator"]),
        .executable(name: "cast2mqtt", targets: ["cast2mqtt"]),
        .executable(name: "cast-simulator", targets: ["cast-simulator"]),
    ],
    traits: [
        .trait(
            name: "Programs", description: "The bridge and the simulator; an app that uses the library leaves it out.",
            enabledTraits: ["DeviceAuthentication"]),
        .trait(
            name: "DeviceAuthentication",
            description: "The proof that a device is genuine; the products CastMediaCheck and CastReceiverSimulator need it."),
        .default(enabledTraits: ["Programs", "DeviceAuthentication"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.4"),
        // Without its traits it needs neither swift-configuration nor the whole of Foundation.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1", traits: []),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    ],
    targets: [
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev", "libssl-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Carries what only C can do for the program: a text from the manifest, and a setting of malloc.
        .target(name: "CProgramSupport", cSettings: commit),
        // Runs a command in namespaces: between clone and exec only functions may be called that are safe in a signal handler.
        .target(name: "CNetworkNamespace"),
        .target(name: "ProcessSpawning", swiftSettings: strict),
        .target(name: "LogKeys", dependencies: [logging], swiftSettings: strict),
        .target(name: "NetworkReach", swiftSettings: strict),
        .target(
            name: "HTTPFetch", dependencies: ["NetworkReach", nioCore, nioPosix, nioHTTP1, nioSSL, nioTLS], swiftSettings: strict),
        .target(name: "EventLoopTiming", dependencies: [nioCore], swiftSettings: strict),
        .target(name: "YAML", dependencies: ["CYAML"], swiftSettings: strict),
        .target(name: "CastModels", swiftSettings: strict),
        .target(name: "CastProtocol", dependencies: ["CastModels", nioCore], swiftSettings: strict),
        .target(name: "CastTransport", dependencies: ["CastProtocol", nioCore, nioPosix, nioSSL, nioTLS], swiftSettings: strict),
        .target(
            name: "CastAuthentication", dependencies: ["CastProtocol", "CastModels", crypto, cryptoExtras, x509, asn1],
            swiftSettings: strict),
        .target(name: "MulticastDNS", dependencies: ["EventLoopTiming", "LogKeys", nioCore, nioPosix, logging], swiftSettings: strict),
        .target(
            name: "MulticastDNSAnnouncing", dependencies: ["MulticastDNS", "EventLoopTiming", "LogKeys", nioCore, logging],
            swiftSettings: strict),
        .target(
            name: "CastSender",
            dependencies: [
                .target(name: "CastAuthentication", condition: certificates), "CastTransport", "CastProtocol", "CastModels",
                "EventLoopTiming", "HTTPFetch", "LogKeys", "MulticastDNS", "NetworkReach", nioCore, nioPosix, nioSSL, logging,
            ], swiftSettings: strict),
        .target(name: "MediaFindings", swiftSettings: strict),
        .target(
            name: "CastMediaCheck",
            dependencies: ["MediaFindings", "CastModels", "HTTPFetch", "NetworkReach", nioCore, nioPosix, x509, asn1],
            swiftSettings: strict),
        // Public where a status passes (MQTTClient, BridgeCore, HomeAssistantDiscovery): only public functions are inlined by other modules.
        .target(name: "MQTTClient", dependencies: ["CMosquitto", "LogKeys", "NetworkReach", logging], swiftSettings: strict),
        .target(name: "BridgeCore", dependencies: ["CastModels", "MediaFindings"], swiftSettings: strict),
        .target(name: "BridgeConfiguration", dependencies: ["BridgeCore", "CastModels", "YAML"], swiftSettings: strict),
        .target(name: "HomeAssistantDiscovery", dependencies: ["BridgeCore", "CastModels"], swiftSettings: strict),
        .target(
            name: "Bridge",
            dependencies: [
                "CastMediaCheck", "CastSender", "MediaServer", "MQTTClient", "BridgeCore", "EventLoopTiming", "HomeAssistantDiscovery",
                "LogKeys",
                "NetworkReach", "ProcessSpawning", nioCore, nioPosix, logging, serviceLifecycle,
            ],
            swiftSettings: strict),
        .target(
            name: "MediaServer",
            dependencies: [
                "BridgeCore", "CastMediaCheck", "CastModels", "EventLoopTiming", "LogKeys", "ProcessSpawning", nioCore, nioPosix,
                nioHTTP1, logging, serviceLifecycle,
            ],
            swiftSettings: strict),
        // Puts the files of the web page into the program. Only the build runs it.
        .executableTarget(name: "embed-page", dependencies: ["CZlib"], swiftSettings: strict),
        .plugin(name: "EmbedPage", capability: .buildTool(), dependencies: ["embed-page"]),
        .target(
            name: "Dashboard",
            dependencies: [
                "BridgeCore", "CastModels", "EventLoopTiming", "LogKeys", hummingbird, hummingbirdCore, hummingbirdTLS, httpTypes, crypto,
                cryptoExtras, nioCore, nioPosix, nioHTTP1, nioSSL, logging, serviceLifecycle,
            ], exclude: ["Page"], resources: [.embedInCode("API/openapi.json")], swiftSettings: strict, plugins: ["EmbedPage"]),
        .target(
            name: "CastReceiverSimulator",
            dependencies: [
                "CastTransport", "CastProtocol", "EventLoopTiming", "LogKeys", "MulticastDNS", "MulticastDNSAnnouncing", nioCore, nioPosix,
                nioHTTP1, nioSSL, nioTLS, logging, crypto, cryptoExtras, x509, asn1,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "cast2mqtt",
            dependencies: [
                "Bridge", "CProgramSupport", "BridgeConfiguration", "BridgeCore", "CastMediaCheck", "CastSender", "Dashboard",
                "HomeAssistantDiscovery", "LogKeys", "MediaServer", "MulticastDNS", argumentParser, logging, serviceLifecycle, unixSignals,
                nioCore,
                nioPosix,
                nioHTTP1,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "cast-simulator",
            dependencies: ["CNetworkNamespace", "CastReceiverSimulator", "YAML", argumentParser, logging, nioCore, nioPosix, unixSignals],
            swiftSettings: strict),
        // The examples are packages of their own, as a stranger's would be. Here they are built by every test run, and see no more than there.
        .executableTarget(
            name: "cast-play", dependencies: ["CastSender"], path: "Examples/cast-play/Sources/cast-play", packageAccess: false,
            swiftSettings: strict),
        .executableTarget(
            name: "cast-app", dependencies: ["CastSender"], path: "Examples/cast-app/Sources/cast-app", packageAccess: false,
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["ProcessSpawning", nioCore, nioPosix, logging], path: "Tests/Support",
            swiftSettings: strict),
        // Receivers, links and time in memory.
        .target(
            name: "CastTestSupport",
            dependencies: ["CastSender", "CastTransport", "CastProtocol", "CastModels", nioCore, nioEmbedded, logging],
            path: "Tests/CastSupport", swiftSettings: strict),
        .testTarget(name: "HTTPFetchTests", dependencies: ["HTTPFetch", "NetworkReach"], swiftSettings: strict),
        .testTarget(name: "NetworkReachTests", dependencies: ["NetworkReach"], swiftSettings: strict),
        .testTarget(
            name: "EventLoopTimingTests", dependencies: ["EventLoopTiming", nioCore, nioPosix, nioEmbedded], swiftSettings: strict),
        .testTarget(name: "YAMLTests", dependencies: ["YAML", "TestSupport", yams], swiftSettings: strict),
        .testTarget(name: "CastModelsTests", dependencies: ["CastModels", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "CastProtocolTests", dependencies: ["CastProtocol", "CastModels", "TestSupport", nioCore], swiftSettings: strict),
        .testTarget(
            name: "CastTransportTests",
            dependencies: ["CastTransport", "CastProtocol", nioCore, nioEmbedded], swiftSettings: strict),
        .testTarget(
            name: "MulticastDNSTests",
            dependencies: ["MulticastDNS", "MulticastDNSAnnouncing", "TestSupport", nioCore, nioPosix, nioEmbedded, logging],
            swiftSettings: strict),
        .testTarget(
            name: "CastSenderTests",
            dependencies: [
                "CastSender", "CastAuthentication", "CastMediaCheck", "CastModels", "CastProtocol", "CastTestSupport", "CastTransport",
                "EventLoopTiming", "MulticastDNS", "TestSupport", nioCore, nioPosix, nioEmbedded, nioSSL, logging, crypto, cryptoExtras,
                x509, asn1,
            ], swiftSettings: strict),
        .testTarget(
            name: "CastMediaCheckTests", dependencies: ["CastMediaCheck", "MediaFindings", "CastModels", "HTTPFetch", "NetworkReach"],
            swiftSettings: strict),
        .testTarget(
            name: "MediaServerTests", dependencies: ["MediaServer", "BridgeCore", "CastModels", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "MQTTClientTests", dependencies: ["MQTTClient", "NetworkReach", "TestSupport"], swiftSettings: strict),
        // Tests that need real sockets, TLS or a real broker: of the Cast link, the MQTT client and the server of the web page.
        .testTarget(
            name: "SocketTests",
            dependencies: [
                "BridgeCore", "CastMediaCheck", "CastSender", "CastModels", "CastProtocol", "CastTestSupport", "CastTransport", "Dashboard",
                "HTTPFetch", "MediaServer", "MQTTClient", "NetworkReach", "TestSupport", hummingbird, serviceLifecycle, nioCore, nioPosix,
                nioHTTP1,
                nioSSL, nioTLS, logging, crypto, x509, asn1,
            ], swiftSettings: strict),
        .testTarget(
            name: "BridgeCoreTests", dependencies: ["BridgeCore", "CastModels", "MediaFindings", "TestSupport"],
            exclude: ["Identity/Generator"], swiftSettings: strict),
        .testTarget(
            name: "ContractTests", dependencies: ["BridgeCore", "CastModels", "CastSender", "TestSupport", yams], swiftSettings: strict),
        .testTarget(
            name: "HomeAssistantDiscoveryTests",
            dependencies: ["HomeAssistantDiscovery", "BridgeCore", "CastModels", "TestSupport", yams],
            exclude: ["Templates/render.py"], swiftSettings: strict),
        .testTarget(
            name: "BridgeTests",
            dependencies: [
                "Bridge", "BridgeCore", "CastSender", "CastProtocol", "CastTestSupport", "CastReceiverSimulator", "MediaFindings",
                "MediaServer",
                "MQTTClient", nioCore, nioEmbedded, logging, serviceLifecycle,
            ], swiftSettings: strict),
        .testTarget(
            name: "DashboardTests",
            dependencies: [
                "Dashboard", "BridgeCore", "CastModels", "TestSupport", httpTypes, nioCore, nioEmbedded, logging,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "BridgeConfigurationTests", dependencies: ["BridgeConfiguration", "BridgeCore", "CastModels"], swiftSettings: strict),
        .testTarget(
            name: "CastReceiverSimulatorTests",
            dependencies: [
                "CastReceiverSimulator", "cast-simulator", "YAML", "TestSupport", "CastTransport", "CastProtocol", "MulticastDNS", nioCore,
                nioPosix, nioEmbedded, nioHTTP1,
                nioSSL, nioTLS, logging, cryptoExtras,
                crypto,
                x509, asn1,
            ], swiftSettings: strict),
        .testTarget(
            name: "IntegrationTests",
            dependencies: ["cast2mqtt", "cast-simulator", "cast-play", "cast-app", "CastSender", "CastReceiverSimulator", "TestSupport"],
            exclude: ["Fixtures", "Support/announcements.py"], swiftSettings: strict),
    ]
)

// scripts/fuzz builds the fuzz targets with libFuzzer's main function, which links only with the compiler's -sanitize=fuzzer. Otherwise
// they are a test target, so that every test run compiles them and feeds each with its seeds.
let fuzzed: [Target.Dependency] = [
    "CastAuthentication", "CastMediaCheck", "CastModels", "CastProtocol", "CastSender", "MulticastDNS", "BridgeCore",
    "BridgeConfiguration", nioCore,
]
if Context.environment["CAST2MQTT_FUZZ"] != nil {
    package.targets += [
        .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/Driver/CFuzzer"),
        .executableTarget(
            name: "fuzz", dependencies: ["CFuzzer"] + fuzzed, path: "Tests/Fuzz", exclude: ["Driver/CFuzzer", "SeedTests.swift"],
            swiftSettings: strict),
    ]
} else {
    package.targets.append(
        .testTarget(name: "FuzzTests", dependencies: fuzzed, path: "Tests/Fuzz", exclude: ["Driver"], swiftSettings: strict))
}

// Built by scripts/bench alone. It knows of the library what the product gives.
if Context.environment["CAST2MQTT_BENCH"] != nil {
    package.products.append(.executable(name: "bench-sessions", targets: ["bench-sessions"]))
    package.targets.append(
        .executableTarget(name: "bench-sessions", dependencies: ["CastSender"], path: "Tests/Benchmarks/Sessions", swiftSettings: strict))
}
