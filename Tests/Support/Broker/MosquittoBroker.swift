import Foundation
import Glibc
import Synchronization

/// A real mosquitto on a free port of 127.0.0.1 with its own directory, for one test.
public final class MosquittoBroker: Sendable {
    /// How the listener is set up; each line goes to mosquitto.conf as it is.
    public struct Options: Sendable {
        public var lines: [String]
        /// Files to put into the broker's directory before it starts; `%DIR%` in lines is replaced by the directory.
        public var files: [String: String]
        /// Keep retained messages over a restart.
        public var isPersistent: Bool
        public var allowsAnonymous: Bool
        /// Whether `lines` are the whole configuration, with listeners and access rules: for a configuration that is itself to be tested.
        public var isComplete: Bool

        public init(
            lines: [String] = [], files: [String: String] = [:], isPersistent: Bool = false, allowsAnonymous: Bool = true,
            isComplete: Bool = false
        ) {
            self.isComplete = isComplete
            self.lines = lines
            self.files = files
            self.isPersistent = isPersistent
            self.allowsAnonymous = allowsAnonymous
        }
    }

    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    public let directory: String
    public let port: UInt16
    /// Where clients reach it; in a namespace of its own, the address of that host.
    public let host: String
    private let namespace: NetworkNamespace?
    private let process = Mutex<ChildProcess?>(nil)
    /// The output of earlier runs of the program.
    private let formerLog = Mutex("")

    /// Does not start the broker: `start()` does.
    /// - Parameters:
    ///   - host: the address to listen on.
    ///   - namespace: the host it runs on.
    public init(
        _ options: Options = Options(), port: UInt16? = nil, host: String = "127.0.0.1", namespace: NetworkNamespace? = nil
    ) throws {
        self.host = host
        self.namespace = namespace
        self.directory = NSTemporaryDirectory() + "broker-" + UUID().uuidString
        self.port = try port ?? FreePort.tcp()
        try FileManager.default.createDirectory(
            atPath: self.directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        for (name, content) in options.files { try content.write(toFile: "\(self.directory)/\(name)", atomically: true, encoding: .utf8) }
        var lines = ["log_type all", "persistence \(options.isPersistent)"]
        if !options.isComplete { lines += ["listener \(self.port) \(host)", "allow_anonymous \(options.allowsAnonymous)"] }
        if options.isPersistent { lines += ["persistence_location \(self.directory)/", "autosave_interval 1", "autosave_on_changes true"] }
        // Without it a mosquitto started by root gives up its rights to read the directory. On a host of its own everybody is root, and one
        // who is it there alone can't even give them up.
        if getuid() == 0 || namespace != nil { lines.append("user root") }
        lines += options.lines.map { $0.replacingOccurrences(of: "%DIR%", with: self.directory) }
        try (lines.joined(separator: "\n") + "\n").write(toFile: "\(self.directory)/mosquitto.conf", atomically: true, encoding: .utf8)
    }

    deinit {
        self.process.withLock { $0 = nil }
        try? FileManager.default.removeItem(atPath: self.directory)
    }

    /// A broker that is ready for connections.
    public static func running(_ options: Options = Options()) async throws -> MosquittoBroker {
        for _ in 0..<3 {
            let broker = try MosquittoBroker(options)
            // Another process may have taken the port since it was found free.
            if (try? await broker.start()) != nil { return broker }
        }
        let broker = try MosquittoBroker(options)
        try await broker.start()
        return broker
    }

    /// Path of mosquitto; Debian keeps it out of an ordinary user's PATH.
    public static var program: String? {
        ["/usr/sbin/mosquitto", "/usr/local/sbin/mosquitto", "/usr/bin/mosquitto"].first { access($0, X_OK) == 0 }
    }

    public var log: String { self.formerLog.withLock { $0 } + (self.process.withLock { $0 }?.text ?? "") }

    public var pid: pid_t? { self.process.withLock { $0?.pid } }

    /// Starts the program and waits until it listens.
    public func start() async throws {
        guard let program = Self.program else { throw Failure(description: "mosquitto is not installed") }
        let process = try await ChildProcess(program, ["-c", "\(self.directory)/mosquitto.conf"], namespace: self.namespace)
        self.process.withLock { $0 = process }
        try await process.line(containing: " running")
    }

    /// Ends it without a chance to send anything.
    public func kill() async { await self.end(by: SIGKILL) }

    /// Ends it in good order: MQTT 5 clients get DISCONNECT 139.
    public func terminate() async { await self.end(by: SIGTERM) }

    private func end(by signal: Int32) async {
        guard let process = self.process.withLock({ $0 }) else { return }
        process.signal(signal)
        process.signal(SIGCONT)
        _ = try? await process.ended()
        self.formerLog.withLock { $0 += process.text }
        self.process.withLock { $0 = nil }
    }

    /// The kernel keeps its connections, but it neither reads nor answers.
    public func suspend() { self.process.withLock { $0 }?.signal(SIGSTOP) }

    public func resume() { self.process.withLock { $0 }?.signal(SIGCONT) }
}
