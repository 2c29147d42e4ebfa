import Foundation
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import CastReceiverSimulator

/// Fleets on addresses of 127.0.0.0/8 that no other test and no other program uses.
enum TestFleet {
    private static let used = Atomic(0)

    /// The process chooses the second number and counts the third: no other process gets it within 250 calls.
    static func addressBase() -> String {
        let process = Int(ProcessInfo.processInfo.processIdentifier)
        return "127.\(64 + process % 187).\(1 + self.used.add(1, ordering: .relaxed).oldValue % 250).1"
    }

    static func configuration(devices: Int = 1, groups: Int = 0, _ change: (inout SimulatorConfiguration) -> Void = { _ in })
        -> SimulatorConfiguration
    {
        var configuration = SimulatorConfiguration()
        configuration.devices = devices
        configuration.groups = groups
        configuration.interfaces = nil
        configuration.addressBase = self.addressBase()
        configuration.seed = UInt64.random(in: 0...UInt64.max)
        change(&configuration)
        return configuration
    }

    /// Starts a fleet, runs it beside the test and ends it.
    static func with<Value: Sendable>(
        _ configuration: SimulatorConfiguration, _ body: @escaping @Sendable (SimulatedFleet) async throws -> Value
    ) async throws -> Value {
        let fleet = try SimulatedFleet(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton)
        try await fleet.start()
        let (ready, signal) = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                try await fleet.run { signal.finish() }
                return nil
            }
            group.addTask {
                for await _ in ready {}
                return try await body(fleet)
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else {
                throw RawSender.NothingReceived(description: "the fleet ended before the test")
            }
            return value
        }
    }
}

/// A directory of its own for one test, removed when the test is done with it.
final class TemporaryDirectory {
    let path: String

    init() throws {
        self.path = FileManager.default.temporaryDirectory.appendingPathComponent("cast-simulator-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: self.path) }

    func file(_ name: String) -> String { "\(self.path)/\(name)" }

    static func lines(_ path: String) -> [JSON] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").compactMap { JSONTextReader.read(String($0)) }
    }
}
