import Foundation
import ProcessSpawning
import Synchronization

/// A program that a test runs. It ends with the test, also when the test runner is killed.
public final class ChildProcess: Sendable {
    public let pid: Int32
    /// The program's name, for failures.
    public let name: String
    private let output: CollectedOutput
    private let exit: ExitLatch

    /// Starts `executable` (a path, or a name in the usual folders).
    ///
    /// - Parameters:
    ///   - environment: added to ours.
    ///   - namespace: a network namespace to run it in.
    public init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:], namespace: NetworkNamespace? = nil
    ) async throws {
        let path = try Programs.locate(executable)
        let program = (path as NSString).lastPathComponent
        let output = CollectedOutput()
        let exit = ExitLatch()
        var command = try [Programs.locate("setpriv"), "--pdeathsig", "KILL", path] + arguments
        if let namespace { command = namespace.wrapping(command) }
        command[0] = try Programs.locate(command[0])
        let words = command
        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }.map { "\($0)=\($1)" }
        self.pid = try await withCheckedThrowingContinuation { started in
            // The kernel ties a child to the thread that started it: this one runs until the child has ended.
            Thread.detachNewThread {
                do {
                    let pipe = try PipeEnds.open()
                    Thread.detachNewThread { output.collect(from: pipe.reading) }
                    let pid: pid_t
                    do {
                        defer { close(pipe.writing) }
                        pid = try Spawning.spawn(words, environment: variables, output: pipe.writing)
                    }
                    started.resume(returning: pid)
                    exit.set(Spawning.wait(for: pid))
                } catch {
                    started.resume(throwing: error)
                }
            }
        }
        self.name = program
        self.output = output
        self.exit = exit
    }

    deinit { if self.exit.code == nil { kill(self.pid, SIGKILL) } }

    /// Everything it has printed, on both streams.
    public var text: String { self.output.text }

    /// The whole lines it has printed, on both streams.
    public var lines: [String] { self.output.text.split(separator: "\n").map(String.init) }

    /// Waits for a line that holds `part`.
    @discardableResult
    public func line(containing part: String, within limit: Duration = .seconds(60)) async throws -> String {
        do {
            return try await eventually("\(self.name) prints \"\(part)\"", within: limit) {
                if let line = self.lines.first(where: { $0.contains(part) }) { return line }
                if let code = self.exitCode {
                    throw ConditionNotMet(description: "\(self.name) ended with \(code) before it printed \"\(part)\"")
                }
                return nil
            }
        } catch let error as ConditionNotMet {
            throw ConditionNotMet(description: "\(error.description)\n--- its output:\n\(self.output.text.suffix(4000))")
        }
    }

    /// Sends a signal.
    public func signal(_ number: Int32) { kill(self.pid, number) }

    /// Its exit code once it has ended; negative for the signal that ended it.
    public var exitCode: Int32? { self.exit.code }

    /// Waits for its end, and for all that it has printed.
    @discardableResult
    public func ended(within limit: Duration = .seconds(60)) async throws -> Int32 {
        let code = try await eventually("\(self.name) ends", within: limit) { self.exitCode }
        // A child of its own may hold the pipe for longer.
        _ = try? await eventually("the output ends", within: .seconds(1)) { self.output.isComplete ? true : nil }
        return code
    }

    /// Asks it to end, and kills it when it does not.
    public func stop() async throws {
        self.signal(SIGTERM)
        do { try await self.ended(within: .seconds(20)) } catch {
            self.signal(SIGKILL)
            throw error
        }
    }
}

/// The output of a program so far; at most the last 4 MiB.
private final class CollectedOutput: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    private let complete = Mutex(false)

    var isComplete: Bool { self.complete.withLock { $0 } }

    /// Blocks until the last holder of the other end has closed it.
    func collect(from descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            self.bytes.withLock {
                $0.append(contentsOf: buffer.prefix(count))
                if $0.count > 4 << 20 { $0.removeFirst($0.count - (4 << 20)) }
            }
        }
        close(descriptor)
        self.complete.withLock { $0 = true }
    }

    var text: String { self.bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}

/// The exit code, set once.
private final class ExitLatch: Sendable {
    private let value = Mutex<Int32?>(nil)

    func set(_ code: Int32) { self.value.withLock { $0 = code } }

    var code: Int32? { self.value.withLock { $0 } }
}
