import Foundation

/// One run of the `mosquitto` program. It ends with our process even if that is killed.
final class MosquittoProcess: Sendable {
    /// Why the program can't be started.
    enum Problem: Error, Sendable, Hashable {
        case notInstalled
        case failedToStart(String)
    }

    let pid: Int32
    private let exits: AsyncStream<Int32>

    /// Where Debian and others put the program; `/usr/sbin` is not in an ordinary user's search path.
    static func locate(_ name: String = "mosquitto") -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin", "/usr/bin", "/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts the program with `configuration`; its output goes to `log`.
    ///
    /// The kernel ends it when our process dies: `setpriv --pdeathsig` asks for that between fork and exec, which Foundation can't.
    init(executable: String, configuration: String, log: String) throws(Problem) {
        let process = Process()
        let (exits, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        if let setpriv = Self.locate("setpriv") {
            process.executableURL = URL(fileURLWithPath: setpriv)
            process.arguments = ["--pdeathsig", "TERM", executable, "-c", configuration]
        } else {
            process.executableURL = URL(fileURLWithPath: executable)
            process.arguments = ["-c", configuration]
        }
        guard FileManager.default.createFile(atPath: log, contents: nil), let output = FileHandle(forWritingAtPath: log) else {
            throw .failedToStart("can't write \(log)")
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        // A child inherits the blocked signals of the thread that starts it, and a pool's threads block all: mosquitto would never end.
        var none = sigset_t()
        var former = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        Self.keepDescriptorsToOurselves()
        do { try process.run() } catch { throw .failedToStart(error.localizedDescription) }
        try? output.close()
        self.pid = process.processIdentifier
        self.exits = exits
    }

    /// A socket that a child inherits stays open after we have closed it, and its peer never learns.
    private static func keepDescriptorsToOurselves() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in names.compactMap({ Int32($0) }) where descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// Waits for the end of the program, which is its exit code; `nil` when the waiting task was cancelled first.
    func exitCode() async -> Int32? {
        for await code in self.exits { return code }
        return nil
    }

    /// Whether the program has not ended, or nobody has taken note of its end.
    var isRunning: Bool { kill(self.pid, 0) == 0 }

    /// Asks the program to end.
    func terminate() { kill(self.pid, SIGTERM) }
}
