import BridgeCore
import CastSender
import FoundationEssentials
import Glibc
import Logging
import NIOCore
import ServiceLifecycle

/// A mosquitto of our own on the loopback interface, for people who have no broker configured.
///
/// It lives below the state directory, is started again when it ends by itself, and ends with us.
package final class PrivateBroker: Service {
    /// Why there is no private broker.
    package enum Problem: Error, Sendable, Hashable {
        /// Debian's package `mosquitto` is missing.
        case notInstalled
        /// No port from the configured one upwards is free.
        case noFreePort(first: Int)
        case cannotWrite(path: String, detail: String)
    }

    /// The loopback port it listens on.
    package let port: Int
    private let executable: String
    private let stateDirectory: String
    private let isTemporary: Bool
    private let eventLoop: any EventLoop
    private let logger: Logger

    /// Chooses a free port and writes the configuration below `stateDirectory`; starts nothing.
    ///
    /// - Parameters:
    ///   - isTemporary: whether the directory goes with the broker.
    ///   - firstPort: the first port to try; at most 100 are tried.
    ///   - eventLoop: its thread starts the program, and lives as long as the process; the kernel ties the program to that thread.
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

    /// Host, port and pid of the broker that runs, for programs that look for it.
    private static func description(in stateDirectory: String) -> String { stateDirectory + "/broker.json" }

    /// Returns the port of the private broker that runs, or was killed, below this state directory; `nil` when there is none.
    package static func port(stateDirectory: String) -> UInt16? {
        guard
            let bytes = try? WholeFile.read(Self.description(in: stateDirectory), limit: 4096),
            let port = (try? JSONParser.parse(bytes))?["port"]?.intValue
        else { return nil }
        return UInt16(exactly: port)
    }

    /// `user` keeps mosquitto from changing to an account that may not read this directory when root starts it. Other users' mosquitto
    /// ignores it.
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

    /// Keeps the broker running until the service group shuts down or the task is cancelled, then ends it and waits for that, at most half a second.
    package func run() async throws {
        await cancelWhenGracefulShutdown { await self.keepRunning() }
        if self.isTemporary { try? FileManager.default.removeItem(atPath: self.stateDirectory) }
    }

    /// Waits until it accepts connections, at most `limit`; the bridge's first attempt would otherwise fail for nothing.
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
                        metadata: ["exit_code": "\(code ?? -1)", "log": "\(self.folder)/mosquitto.log"])
                } onCancel: {
                    process.terminate()
                }
                if Task.isCancelled { return await self.reap(process) }
            } catch {
                self.logger.error("private broker does not start", metadata: ["error": "\(error)"])
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
        do { try description.write(toFile: Self.description(in: self.stateDirectory), atomically: true, encoding: .utf8) } catch {
            // Only programs that look for the port read it; the broker runs.
            self.logger.warning(
                "broker.json can't be written",
                metadata: ["error": "\(error)", "remedy": "check free space and owner of the state directory"])
        }
        self.logger.info(
            "private broker started; a broker of the system on port 1883 is not used",
            metadata: ["port": "\(self.port)", "pid": "\(process.pid)"])
        return process
    }

    /// Waits for a terminated broker in a task of its own, because the caller's is cancelled already.
    private func reap(_ process: MosquittoProcess) async {
        let waiting = Task.detached {
            for _ in 0..<50 where process.isRunning { try? await Task.sleep(for: .milliseconds(10)) }
        }
        await waiting.value
        unlink(Self.description(in: self.stateDirectory))
    }

    /// Whether we could listen on this loopback port.
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
