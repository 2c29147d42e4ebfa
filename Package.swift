// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "cast2mqtt",
    targets: [
        .target(name: "CastModels", swiftSettings: strict),
        .target(name: "BridgeCore", dependencies: ["CastModels"], swiftSettings: strict),
    ]
)
