import BridgeCore
import CastSender
import FoundationEssentials
import Glibc
import LogKeys
import Logging
import NIOCore
import ServiceLifecycle

/// A mosquitto broker of the bridge on the loopback interface, for users who have no broker configured.
///
/// Its files are below the state directory. It is restarted when it ends by itself, and ends with the bridge.
package final class PrivateBroker: Service {
    package enum Problem: Error, Sendable, Hashable {
        /// Debian's package `mosquitto` is missing.
        case notInstalled
        /// No port from the configured one upwards is free.
        case noFreePort(first: Int)
        case cannotWrite(path: String, detail: String)
    }

    /// The port on the loopback interface.
    package let port: Int
    private let executable: String
    private let stateDirectory: String
    private let isTemporary: Bool
    private let eventLoop: any EventLoop
    private let logger: Logger

    /// Whether mosquitto is installed.
    package static var isPossible: Bool { MosquittoProcess.locate() != nil }

    /// Selects a free port and writes the configuration below `stateDirectory`; starts nothing.
    ///
    /// - Parameters:
    ///   - isTemporary: whether the directory is removed with the broker.
    ///   - firstPort: the first port to try; at most 100 are tried.
    ///   - eventLoop: its thread starts the program and must live as long as the process, because the kernel ties the program to that
    ///     thread.
    package init(stateDirectory: String, isTemporary: Bool = false, firstPort: Int, eventLoop: any EventLoop, logger: Logger)
        throws(Problem)
    {
        guard let executable = MosquittoProcess.locate() else { throw .notInstalled }
        guard let port = (firstPort..<min(firstPort + 100, 65_536)).first(where: Self.isFree) else { throw .noFreePort(first: firstPort) }
        self.executable = executable
        self.port = port
        self.stateDirectory = stateDirectory
        self.isTemporary = isTemporary
        self.eventLoop = eventLoop
        self.logger = logger
        do {
            try FileManager.default.createDirectory(
                atPath: self.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try self.configurationText.write(toFile: self.configurationFile, atomically: true, encoding: .utf8)
        } catch { throw .cannotWrite(path: self.folder, detail: "\(error)") }
    }

    private var folder: String { self.stateDirectory + "/broker" }
    private var configurationFile: String { self.folder + "/mosquitto.conf" }

    /// Returns the path of the file with host, port and pid of the running broker, for other programs.
    private static func description(in stateDirectory: String) -> String { stateDirectory + "/broker.json" }

    /// Returns the port of the private broker that runs, or was killed, below this state directory; `nil` when there is none.
    package static func port(stateDirectory: String) -> UInt16? {
        guard
            let bytes = try? WholeFile.read(Self.description(in: stateDirectory), limit: 4096),
            let port = (try? JSONParser.parse(bytes))?["port"]?.intValue
        else { return nil }
        return UInt16(exactly: port)
    }

    /// The content of mosquitto's configuration. When root starts mosquitto, `user` keeps it from changing to an account that may not read
    /// this directory; otherwise it is ignored.
    private var configurationText: String {
        """
        listener \(self.port) 127.0.0.1
        allow_anonymous true
        persistence true
        persistence_location \(self.folder)/
        user root
        max_queued_messages 10000
        log_type error
        log_type warning
        log_type notice

        """
    }

    /// Runs the broker until the service group shuts down or the task is cancelled, then ends it and waits at most half a second.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.keepRunning() }
        if self.isTemporary { try? FileManager.default.removeItem(atPath: self.stateDirectory) }
    }

    /// Waits at most `limit` until it accepts connections; otherwise the bridge's first attempt would fail.
    package func waitUntilListening(within limit: Duration = .seconds(3)) async {
        let end = ContinuousClock.now + limit
        while !Task.isCancelled, ContinuousClock.now < end, Self.isFree(port: self.port) { try? await Task.sleep(for: .milliseconds(10)) }
    }

    private func keepRunning() async {
        var delay = Duration.milliseconds(100)
        while !Task.isCancelled {
            let started = ContinuousClock.now
            do {
                let process = try await self.start()
                await withTaskCancellationHandler {
                    let code = await process.exitCode()
                    if Task.isCancelled { return }
                    self.logger.warning(
                        "private broker ended; starting it again",
                        metadata: [.exitCode: "\(code ?? -1)", .log: "\(self.folder)/mosquitto.log"])
                } onCancel: {
                    process.terminate()
                }
                if Task.isCancelled { return await self.reap(process) }
            } catch {
                self.logger.error("private broker does not start", metadata: [.error: "\(error)"])
            }
            delay = started.duration(to: .now) > .seconds(30) ? .milliseconds(100) : min(delay * 2, .seconds(10))
            try? await Task.sleep(for: delay)
        }
    }

    private func start() async throws -> MosquittoProcess {
        let (executable, configuration, log) = (self.executable, self.configurationFile, self.folder + "/mosquitto.log")
        let process = try await self.eventLoop.submit {
            try MosquittoProcess(executable: executable, configuration: configuration, log: log)
        }.get()
        let description = "{\"host\":\"127.0.0.1\",\"port\":\(self.port),\"pid\":\(process.pid)}\n"
        let path = Self.description(in: self.stateDirectory)
        if let number = PrivateFile.replace(path, with: Array(description.utf8), syncs: false) {
            // The broker is running; only programs that look for its port read the file.
            let problem = StateDirectory.Problem.notWritable(path: path, errno: number)
            self.logger.warning("broker.json can't be written", metadata: [.reason: "\(problem.cause)", .remedy: "\(problem.remedy)"])
        }
        self.logger.info(
            "private broker started; a broker of the system on port 1883 is not used",
            metadata: [.port: "\(self.port)", .pid: "\(process.pid)"])
        return process
    }

    /// Waits for a terminated broker in a separate task, because the caller's task is already cancelled.
    private func reap(_ process: MosquittoProcess) async {
        let waiting = Task.detached {
            for _ in 0..<50 where process.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
        }
        await waiting.value
        unlink(Self.description(in: self.stateDirectory))
    }

    /// Returns whether this loopback port can be used for listening.
    private static func isFree(port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
        }
    }
}
