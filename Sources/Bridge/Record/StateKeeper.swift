import BridgeCore
import Logging

/// Writes the bridge's memory to disk, one version at a time and never on the event loop.
actor StateKeeper {
    /// The file's name in the state directory.
    static let fileName = StateDirectory.devicesFile

    private let directory: StateDirectory?
    private let logger: Logger
    private var hasWarned = false

    /// - Parameter directory: `nil` keeps nothing over restarts.
    init(directory: StateDirectory?, logger: Logger) {
        self.directory = directory
        self.logger = logger
    }

    /// What an earlier run left; a damaged file is set aside and read as far as it goes.
    nonisolated func load() -> StateFile {
        guard let bytes = self.directory?.read(Self.fileName) else { return StateFile() }
        let (file, problems) = StateFile.read(bytes)
        if let first = problems.first {
            self.directory?.setAside(Self.fileName)
            self.logger.warning(
                "the state file is damaged; it was set aside and the bridge goes on with what could be read",
                metadata: [
                    "file": "\(self.directory?.path ?? "")/\(Self.fileName).damaged", "problems": "\(problems.count)", "first": "\(first)",
                    "devices": "\(file.devices.count)",
                ])
        }
        return file
    }

    /// Replaces the file. A failure is logged once and the bridge goes on; stale topics of a later crash can't be cleared then.
    func save(_ file: StateFile) {
        guard let directory else { return }
        do throws(StateDirectory.Problem) {
            try directory.write(Self.fileName, file.bytes)
            self.hasWarned = false
        } catch {
            guard !self.hasWarned else { return }
            self.hasWarned = true
            self.logger.error("the state file can't be written; check the disk and its rights", metadata: ["error": "\(error)"])
        }
    }
}
