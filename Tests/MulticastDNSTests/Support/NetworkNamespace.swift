import Glibc
import NIOCore
import NIOPosix
import ProcessSpawning

/// A network namespace of its own, held by the one thread of an event loop: sockets and processes that this thread makes belong to it.
/// It vanishes, with its interfaces, when the loop is shut down; nothing of it has a name on the system.
///
/// A thread that this thread starts inherits the namespace, and Swift's pool may start one from here. So tests with sockets of their own
/// (`SocketTests`) run in another process.
final class NetworkNamespace: Sendable {
    struct Refused: Error { let what: String, number: Int32 }

    /// Root can make namespaces, except in a container without the right to; in CI that is a failure, not a reason to skip.
    static let isExpected = geteuid() == 0 && (getenv("CI") != nil || succeeds(["unshare", "-n", "true"]))
    /// An ordinary user can make them inside a user namespace, where the system allows these.
    static let isExpectedInside = geteuid() != 0 && (getenv("CI") != nil || succeeds(["unshare", "-Urnm", "true"]))

    private static func succeeds(_ command: [String]) -> Bool {
        guard let process = try? Self.spawn(command) else { return false }
        return Spawning.wait(for: process) == 0
    }

    private let group: MultiThreadedEventLoopGroup
    let loop: any EventLoop
    /// A path under which others, such as `ip link set … netns`, find the namespace.
    let path: String

    init() async throws {
        self.group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        self.loop = self.group.next()
        self.path = try await self.loop.submit {
            guard try Self.unshareNetwork() == 0 else { throw Refused(what: "unshare", number: errno) }
            var target = [CChar](repeating: 0, count: 64)
            let length = readlink("/proc/thread-self", &target, target.count)
            guard length > 0 else { throw Refused(what: "readlink", number: errno) }
            return "/proc/\(String(decoding: target.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self))/ns/net"
        }.get()
        try await self.run("ip", "link", "set", "lo", "up")
    }

    /// `unshare(CLONE_NEWNET)` for the calling thread; the Glibc module lacks both.
    private static func unshareNetwork() throws -> Int32 {
        guard let symbol = dlsym(nil, "unshare") else { throw Refused(what: "dlsym", number: ENOSYS) }
        // The C prototype is `int unshare(int flags)`.
        return unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)(0x4000_0000)
    }

    func end() async { try? await self.group.shutdownGracefully() }

    /// Runs a program to its end inside the namespace; a failure is thrown.
    func run(_ command: String...) async throws {
        let status = try await self.loop.submit {
            Spawning.wait(for: try Self.spawn(command))
        }.get()
        guard status == 0 else { throw Refused(what: command.joined(separator: " "), number: status) }
    }

    /// Starts a program inside the namespace; the caller ends it with `kill`.
    func start(_ command: String...) async throws -> pid_t { try await self.loop.submit { try Self.spawn(command) }.get() }

    static func kill(_ process: pid_t) {
        _ = Glibc.kill(process, SIGTERM)
        _ = Spawning.wait(for: process)
    }

    /// A program of the search path that prints where the tests do; the caller waits for it.
    static func spawn(_ command: [String]) throws -> pid_t { try Spawning.spawn(["/usr/bin/env"] + command, output: STDOUT_FILENO) }

    /// Joins two namespaces by a cable: `interface` on each side.
    static func connect(
        _ one: NetworkNamespace, _ other: NetworkNamespace, interface: String = "veth0"
    ) async throws {
        try await one.run("ip", "link", "add", interface, "type", "veth", "peer", "name", "far0")
        try await one.run("ip", "link", "set", "far0", "netns", other.path)
        try await other.run("ip", "link", "set", "far0", "name", interface)
    }
}
