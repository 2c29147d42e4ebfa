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

    private let directory: StateDirectory
    /// The content of the file; `nil` while it is unknown.
    private let saved = Mutex<[UInt8]?>(nil)

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
            self.saved.withLock { $0 = contents.bytes }
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

    /// Replaces the file if it differs.
    ///
    /// One call at a time.
    /// - Parameter onDone: called on another thread.
    func save(_ file: StateFile, onDone: @escaping @Sendable (Outcome) -> Void) {
        let isStarted = DetachedThread.start("state file") { onDone(self.write(file)) }
        if !isStarted { onDone(self.write(file)) }
    }

    private func write(_ file: StateFile) -> Outcome {
        var file = file
        file.devices.sort { $0.id < $1.id }
        let bytes = file.bytes
        // Unknown until the end, because a write that fails may have replaced the file.
        guard self.saved.withLock({ $0.take() }) != bytes else {
            self.saved.withLock { $0 = bytes }
            return .saved
        }
        do throws(StateDirectory.Problem) { try self.directory.write(StateDirectory.devicesFile, bytes) } catch { return .failed(error) }
        self.saved.withLock { $0 = bytes }
        return .saved
    }
}
