import Foundation
import Synchronization

/// A network namespace: a host of its own on this machine, made and removed by the test.
///
/// Root makes it with `ip netns`; for other users the same commands run inside one `unshare -Urnm`, the sandbox, which runs as long as the
/// tests.
public final class NetworkNamespace: Sendable {
    public let name: String

    private let prefix: [String]

    /// Makes a namespace with a loopback interface that is up and multicast-capable.
    public init(_ purpose: String) async throws {
        self.prefix = try await Self.privilege.value
        let number = Self.made.add(1, ordering: .relaxed).newValue
        self.name = "c2m-\(ProcessInfo.processInfo.processIdentifier)-\(number)-\(purpose)"
        try await Self.run(self.prefix + ["ip", "netns", "add", self.name])
        try await self.run("ip", "link", "set", "lo", "up", "multicast", "on")
    }

    deinit {
        _ = try? ShortProgram.run(self.prefix + ["ip", "netns", "delete", self.name])
    }

    private static let made = Atomic(0)

    /// The command that runs `command` with rights over networks: inside the sandbox, except for root.
    public static func privileged(_ command: [String]) async throws -> [String] { try await Self.privilege.value + command }

    /// Moves the calling thread into this namespace for good. Only where the process has rights over networks itself.
    public func enter() throws {
        let namespace = open("/run/netns/\(self.name)", O_RDONLY | O_CLOEXEC)
        defer { close(namespace) }
        // The Glibc module lacks it. The C prototype is `int setns(int fd, int nstype)`.
        let symbol = dlsym(nil, "setns")
        let setns = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32)?.self)
        guard namespace >= 0, setns?(namespace, 0) == 0 else { throw ConditionNotMet(description: "can't enter \(self.name): \(errno)") }
    }

    /// The prefix of a command that needs rights over networks: empty for root, else the way into our sandbox.
    private static let privilege = Task<[String], any Error> {
        if geteuid() == 0 { return [] }
        let holder = try await ChildProcess(
            "unshare", ["-Urnm", "--kill-child", "sh", "-c", "mount -t tmpfs tmpfs /run && echo sandbox ready && exec sleep infinity"])
        try await holder.line(containing: "sandbox ready")
        NetworkNamespace.holder.withLock { $0 = holder }
        let child = try await ChildProcess("pgrep", ["-P", "\(holder.pid)"])
        try await child.ended()
        let pid = child.lines.first ?? "\(holder.pid)"
        let folder = FileManager.default.currentDirectoryPath
        return ["nsenter", "-t", pid, "-U", "-m", "-n", "--preserve-credentials", "--wdns=\(folder)"]
    }

    /// Keeps the sandbox until the test runner ends.
    private static let holder = Mutex<ChildProcess?>(nil)

    /// The command that runs `command` inside.
    func wrapping(_ command: [String]) -> [String] { self.prefix + ["ip", "netns", "exec", self.name] + command }

    /// Runs a command inside and waits for its success.
    @discardableResult
    public func run(_ command: String...) async throws -> String { try await Self.run(self.wrapping(command)) }

    /// Plugs this host into a switch: its end of the cable is `lan0` with `address`, both ends are up.
    public func plug(into wire: NetworkNamespace, switchNamed name: String, port: String, address: String) async throws {
        try await Self.run(
            self.prefix + ["ip", "link", "add", "lan0", "netns", self.name, "type", "veth", "peer", "name", port, "netns", wire.name])
        try await wire.run("ip", "link", "set", port, "master", name)
        try await wire.run("ip", "link", "set", port, "up")
        try await self.run("ip", "addr", "add", address, "dev", "lan0")
        try await self.run("ip", "link", "set", "lan0", "up", "multicast", "on")
    }

    @discardableResult
    static func run(_ command: [String]) async throws -> String {
        let process = try await ChildProcess(command[0], Array(command.dropFirst()))
        let code = try await process.ended()
        guard code == 0 else {
            throw ConditionNotMet(description: "\(command.joined(separator: " ")) failed with \(code): \(process.text)")
        }
        return process.text
    }
}
