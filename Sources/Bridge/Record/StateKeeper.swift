import BridgeCore
import LogKeys
import Logging
import NetworkReach
import Synchronization

/// Reads and replaces the state file. Each write has a separate thread, because a disk may not respond.
final class StateKeeper: Sendable {
    enum Outcome: Sendable {
        /// The file contains every change.
        case saved
        case failed(StateDirectory.Problem)
    }

    private struct State {
        var lines = StateFileLines()
        /// The content of the file until the first write is compared with it.
        var loaded: [UInt8]?
        /// Whether the file contains the lines.
        var isSaved = false
    }

    private let directory: StateDirectory
    private let state = Mutex(State())

    init(_ directory: StateDirectory) { self.directory = directory }

    /// Returns the state file of an earlier run. A damaged file is set aside and used as far as it can be read.
    /// - Throws: when the file exists and cannot be read.
    func load(_ logger: Logger) throws(StateDirectory.Problem) -> (file: StateFile, isDamaged: Bool) {
        // People make an empty file to mount it into a container. It is no damage.
        guard let contents = try self.directory.read(StateDirectory.devicesFile), !contents.bytes.isEmpty else {
            return (StateFile(), false)
        }
        let (file, problems) = StateFile.read(contents.bytes)
        guard !contents.isWhole || !problems.isEmpty else {
            self.state.withLock { $0.loaded = contents.bytes }
            return (file, false)
        }
        self.directory.setAside(StateDirectory.devicesFile)
        let first = contents.isWhole ? problems.first.map { "\($0)" } : "larger than \(StateDirectory.limit) bytes"
        logger.warning(
            "state file is damaged and was set aside",
            metadata: [
                .file: "\(self.directory.path)/\(StateDirectory.devicesFile).damaged", .problems: "\(max(1, problems.count))",
                .first: "\(first ?? "-")", .devices: "\(file.devices.count)",
                .remedy: "devices that could not be read are found again; check the file or delete it",
            ])
        return (file, true)
    }

    /// Replaces the file if a line changed.
    ///
    /// One call at a time.
    /// - Parameter onDone: called on another thread.
    func save(_ changes: StateFileLines.Changes, onDone: @escaping @Sendable (Outcome) -> Void) {
        let isStarted = DetachedThread.start("state file") { onDone(self.write(changes)) }
        if !isStarted { onDone(self.write(changes)) }
    }

    private func write(_ changes: StateFileLines.Changes) -> Outcome {
        let bytes = self.state.withLock { state -> [UInt8]? in
            if state.lines.apply(changes) { state.isSaved = false }
            guard !state.isSaved else { return nil }
            let bytes = state.lines.bytes
            let isSame = bytes == state.loaded
            state.loaded = nil
            if isSame { state.isSaved = true }
            return isSame ? nil : bytes
        }
        guard let bytes else { return .saved }
        do throws(StateDirectory.Problem) { try self.directory.write(StateDirectory.devicesFile, bytes) } catch { return .failed(error) }
        self.state.withLock { $0.isSaved = true }
        return .saved
    }
}
