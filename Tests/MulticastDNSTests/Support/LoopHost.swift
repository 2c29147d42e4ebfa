import Foundation
import NIOCore
import NIOPosix
import TestSupport

/// A host with an event loop whose one thread is in the host's network namespace: sockets that this thread makes belong to it.
///
/// A thread that this thread starts inherits the namespace, and Swift's pool may start one from here. So tests with sockets of their own
/// (`SocketTests`) run in another process.
final class LoopHost: Sendable {
    /// Root can make namespaces, except in a container without the right to; in CI that is a failure, not a reason to skip.
    static let isExpected = geteuid() == 0 && (isCI || succeeds(["unshare", "-n", "true"]))
    /// An ordinary user can make them inside a user namespace, where the system allows these.
    static let isExpectedInside = geteuid() != 0 && (isCI || succeeds(["unshare", "-Urnm", "true"]))

    private static let isCI = ProcessInfo.processInfo.environment["CI"] != nil

    private static func succeeds(_ command: [String]) -> Bool { (try? ShortProgram.run(command)) != nil }

    let namespace: NetworkNamespace
    let loop: any EventLoop
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    init() async throws {
        let namespace = try await NetworkNamespace("mdns")
        (self.namespace, self.loop) = (namespace, self.group.next())
        // Browsers and announcers leave loopback out, as on other machines.
        try await namespace.run("ip", "link", "set", "lo", "multicast", "off")
        try await self.loop.submit { try namespace.enter() }.get()
    }

    func end() async { try? await self.group.shutdownGracefully() }

    /// Joins two hosts by a cable: `veth0` on each side.
    static func connect(_ one: LoopHost, _ other: LoopHost) async throws {
        try await one.namespace.run("ip", "link", "add", "veth0", "type", "veth", "peer", "name", "veth0", "netns", other.namespace.name)
    }
}
