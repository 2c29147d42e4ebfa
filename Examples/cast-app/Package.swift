// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as a stranger's would be: it knows of the library only what `import CastSender` gives.
let package = Package(
    name: "cast-app",
    dependencies: [.package(name: "cast2mqtt", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "cast-app", dependencies: [.product(name: "CastSender", package: "cast2mqtt")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ]
)
