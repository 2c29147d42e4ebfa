import BridgeCore
import CastSender
import EventLoopTiming
import Glibc
import LogKeys
import Logging
import NetworkReach

/// A file of JSON in the state directory that is replaced as a whole, on a thread of its own because a disk may not respond: one write at a
/// time, and the newest content wins.
final class StateDocument {
    /// Forms the content, on the thread of the write; `nil` removes the file.
    typealias Form = @Sendable () -> JSONValue?
    private typealias Waiter = AsyncStream<StateDirectory.Problem?>.Continuation

    private let context: BridgeContext
    private let name: String
    private var next: (form: Form, waiters: [Waiter])?
    /// The callers that wait for the current write; `nil` while nothing is written.
    private var current: [Waiter]?
    /// Why the last content is not on disk.
    private var fault: StateDirectory.Problem?

    init(_ context: BridgeContext, _ name: String) {
        (self.context, self.name) = (context, name)
        self.fault = context.program.stateDirectory == nil ? .missing : nil
    }

    /// Returns what an earlier run left. A damaged file is set aside, so that people can examine it.
    func read() -> JSONValue? {
        let directory = self.context.program.stateDirectory
        var reason = "it is damaged"
        do throws(StateDirectory.Problem) {
            guard let contents = try directory?.read(self.name) else { return nil }
            if contents.isWhole, let json = try? JSONParser.parse(contents.bytes) { return json }
        } catch { reason = error.cause }
        directory?.setAside(self.name)
        self.context.logger.warning("what an earlier run kept is lost", metadata: [.file: "\(self.name)", .reason: "\(reason)"])
        return nil
    }

    func write(_ form: @escaping Form) {
        guard self.fault != .missing else { return }
        self.next = (form, self.next?.waiters ?? [])
        self.begin()
    }

    /// Returns when all writes so far have ended, at the latest after a second.
    /// - Returns: why the content is not on disk.
    @discardableResult
    nonisolated(nonsending) func ended() async -> StateDirectory.Problem? {
        let (faults, waiter) = AsyncStream<StateDirectory.Problem?>.makeStream()
        if self.next != nil {
            self.next?.waiters.append(waiter)
        } else if self.current != nil {
            self.current?.append(waiter)
        } else {
            return self.fault
        }
        let late = StateDirectory.Problem.notWritable(path: self.name, errno: ETIMEDOUT)
        let limit = self.context.loop.deadline { waiter.yield(late) }
        limit.set(self.context.time + .seconds(1))
        defer { limit.cancel() }
        for await fault in faults { return fault }
        return late
    }

    private func begin() {
        guard self.current == nil, let (form, waiters) = self.next, let directory = self.context.program.stateDirectory else { return }
        (self.current, self.next) = (waiters, nil)
        let name = self.name
        let done = self.context.loop.entrance { [weak self] (fault: StateDirectory.Problem?) in self?.ended(fault) }
        let put: @Sendable () -> Void = { done(Self.put(form(), name, directory)) }
        if !DetachedThread.start("state document", put) { put() }
    }

    private static func put(_ content: JSONValue?, _ name: String, _ directory: StateDirectory) -> StateDirectory.Problem? {
        guard let content else {
            directory.remove(name)
            return nil
        }
        do throws(StateDirectory.Problem) { try directory.write(name, JSONWriter.bytes(of: content)) } catch { return error }
        return nil
    }

    private func ended(_ fault: StateDirectory.Problem?) {
        if let fault {
            self.context.logger.warning(
                "what is to survive a restart can't be kept on disk",
                metadata: [.file: "\(self.name)", .reason: "\(fault.cause)", .remedy: "\(fault.remedy)"])
        }
        self.fault = fault
        for waiter in self.current ?? [] { waiter.yield(fault) }
        self.current = nil
        self.begin()
    }
}
