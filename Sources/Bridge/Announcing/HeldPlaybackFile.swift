import BridgeCore
import CastSender
import LogKeys
import Logging
import NetworkReach
import Synchronization

/// The file of what is to be given back. It is written before the first request of an announcement and removed when all is given back, so it
/// is there only after a kill.
final class HeldPlaybackFile: Sendable {
    static let name = "announcing.json"

    private struct State {
        var content: [HeldPlayback] = []
        /// The numbers of the newest content, and of that on disk.
        var newest = 0
        var written = 0
        var isWriting = false
        var waiters: [(number: Int, end: AsyncStream<Void>.Continuation)] = []
    }

    private let directory: StateDirectory?
    private let logger: Logger
    private let state = Mutex(State())

    init(directory: StateDirectory?, logger: Logger) { (self.directory, self.logger) = (directory, logger) }

    /// Returns what an earlier run left and may still be given back. A file without that is removed.
    func read(now: Timestamp) -> [HeldPlayback] {
        guard let directory, let contents = try? directory.read(Self.name) else { return [] }
        let held = ((try? JSONParser.parse(contents.bytes))?.arrayValue ?? []).compactMap { HeldPlayback(json: $0) }
        let fresh = held.filter { $0.isFresh(at: now) }
        for old in held where !old.isFresh(at: now) {
            self.logger.notice(
                "left alone what an announcement interrupted",
                metadata: [.device: "\(old.device)", .reason: "it began more than five minutes ago"])
        }
        if fresh.isEmpty { directory.remove(Self.name) }
        return fresh
    }

    /// Replaces the file and returns when it is on disk; a disk that does not respond is waited for a second.
    func write(_ held: [HeldPlayback]) async {
        guard self.directory != nil else { return }
        let (ends, end) = AsyncStream<Void>.makeStream()
        let begins = self.state.withLock { state in
            state.newest += 1
            state.content = held
            state.waiters.append((state.newest, end))
            defer { state.isWriting = true }
            return !state.isWriting
        }
        // One writer at a time, and the newest content wins.
        if begins, !DetachedThread.start("announcing", { self.writeAll() }) { self.writeAll() }
        await withTaskGroup { group in
            group.addTask { for await _ in ends {} }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    private func writeAll() {
        while let (number, content) = self.state.withLock({ state -> (Int, [HeldPlayback])? in
            if state.newest == state.written { state.isWriting = false }
            return state.isWriting ? (state.newest, state.content) : nil
        }) {
            self.put(content)
            let done = self.state.withLock { state in
                state.written = number
                let done = state.waiters.filter { $0.number <= number }
                state.waiters.removeAll { $0.number <= number }
                return done.map(\.end)
            }
            for end in done { end.finish() }
        }
    }

    private func put(_ held: [HeldPlayback]) {
        guard !held.isEmpty else {
            self.directory?.remove(Self.name)
            return
        }
        do throws(StateDirectory.Problem) { try self.directory?.write(Self.name, JSONWriter.bytes(of: .array(held.map(\.json)))) } catch {
            self.logger.warning(
                "what an announcement interrupts can't be kept on disk: after a kill it would not be given back",
                metadata: [.reason: "\(error.cause)", .remedy: "\(error.remedy)"])
        }
    }
}
