import Foundation
import NIOPosix
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
        let (words, variables) = (command, ProcessInfo.processInfo.environment.merging(environment) { _, new in new })
        // The kernel ties a child to the thread that started it; a loop's thread lives as long as the test runner.
        self.pid = try await MultiThreadedEventLoopGroup.singleton.any().submit {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: words[0])
            process.arguments = Array(words.dropFirst())
            process.environment = variables
            let pipe = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = pipe
            process.standardError = pipe
            pipe.fileHandleForReading.readabilityHandler = { handle in
                let data = handle.availableData
                if data.isEmpty { handle.readabilityHandler = nil }
                output.append(data)
            }
            process.terminationHandler = { exit.set($0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus) }
            // A child inherits the blocked signals of the thread that starts it, and a pool's threads block all.
            var none = sigset_t()
            var former = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &former)
            defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
            try Descriptors.start(process)
            return process.processIdentifier
        }.get()
        self.name = program
        self.output = output
        self.exit = exit
    }

    /// Runs a short program to its end; its failure is an error with what it printed.
    ///
    /// - Parameter words: as for `env`: a program of the search path, after options of `env` if any.
    public static func run(_ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try Descriptors.start(process)
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw ConditionNotMet(description: "\(words.joined(separator: " ")) failed: \(String(decoding: output, as: UTF8.self))")
        }
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

    /// Waits for its end.
    @discardableResult
    public func ended(within limit: Duration = .seconds(60)) async throws -> Int32 {
        try await eventually("\(self.name) ends", within: limit) { self.exitCode }
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

/// What a program has printed so far; at most the last 4 MiB.
private final class CollectedOutput: Sendable {
    private let bytes = Mutex<[UInt8]>([])

    func append(_ data: Data) {
        self.bytes.withLock {
            $0.append(contentsOf: data)
            if $0.count > 4 << 20 { $0.removeFirst($0.count - (4 << 20)) }
        }
    }

    var text: String { self.bytes.withLock { String(decoding: $0, as: UTF8.self) } }
}

/// The exit code, set once.
private final class ExitLatch: Sendable {
    private let value = Mutex<Int32?>(nil)

    func set(_ code: Int32) { self.value.withLock { $0 = code } }

    var code: Int32? { self.value.withLock { $0 } }
}
