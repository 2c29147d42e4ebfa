import FoundationEssentials
import Glibc
import ProcessSpawning

/// One run of the `mosquitto` program. It ends with our process even if that is killed.
final class MosquittoProcess: Sendable {
    let pid: Int32
    private let exits: AsyncStream<Int32>

    /// Returns the path of the program, searched in PATH and the usual system directories; `/usr/sbin` is not in an ordinary user's PATH.
    /// `nil` when it is not installed.
    static func locate(_ name: String = "mosquitto") -> String? {
        Spawning.locate(name, others: ["/usr/sbin", "/usr/local/sbin", "/usr/bin", "/bin"])
    }

    /// Starts the program with `configuration`; its output goes to `log`.
    ///
    /// The kernel ends it when our process dies: `setpriv --pdeathsig` asks for that between fork and exec.
    init(executable: String, configuration: String, log: String) throws {
        let wrapper = Self.locate("setpriv").map { [$0, "--pdeathsig", "TERM"] } ?? []
        let output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw PrivateBroker.Problem.cannotWrite(path: log, detail: String(cString: strerror(errno))) }
        defer { close(output) }
        // mosquitto would report its status to our service manager in our name.
        let environment = ProcessInfo.processInfo.environment.filter { $0.key != "NOTIFY_SOCKET" }.map { "\($0.key)=\($0.value)" }
        // Ctrl-C reaches the bridge alone, which publishes `offline` and ends the broker after that.
        let pid = try Spawning.spawn(wrapper + [executable, "-c", configuration], environment: environment, output: output, ownGroup: true)
        let (exits, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(1))
        do {
            try Spawning.onExit(of: pid) { code in
                continuation.yield(code)
                continuation.finish()
            }
        } catch {
            kill(pid, SIGKILL)
            throw error
        }
        self.pid = pid
        self.exits = exits
    }

    /// Waits for the end of the program and returns its exit code; `nil` when the waiting task was cancelled first.
    func exitCode() async -> Int32? {
        for await code in self.exits { return code }
        return nil
    }

    /// Whether the process exists: the program is running, or has ended and was not waited for.
    var isRunning: Bool { kill(self.pid, 0) == 0 }

    func terminate() { kill(self.pid, SIGTERM) }
}
