import BridgeCore
import CastSender
import EventLoopTiming
import Glibc
import LogKeys
import Logging

/// Writes the state file at the times that `WritePace` decides, and reports the owners whose topics are in it.
///
/// The bridge never depends on the disk: when a write fails or does not end, owners continue without a record.
final class RecordWriter {
    /// The time limit of a write, after which the bridge continues without its result.
    static let limit = Duration.seconds(5)
    /// The time limit of the last write at the end of the bridge.
    static let limitAtEnd = Duration.seconds(2)

    private let context: BridgeContext
    /// The keeper of the file; `nil` keeps no state across restarts.
    private var keeper: StateKeeper?
    private let onRecorded: (Set<DocumentOwner>) -> Void
    /// Returns what the file is to contain, devices in any order.
    private var source: () -> StateFile = { StateFile() }
    private var pace = WritePace()
    private(set) var isWriting = false
    private var disk = Disk()
    /// The owners with topics that are in no write yet, and those with topics in the current write.
    private var unwritten: Set<DocumentOwner> = []
    private var underWay: Set<DocumentOwner> = []
    /// The owners that wait until their topics are on disk.
    private var waiting: Set<DocumentOwner> = []
    private let answers: AwaitedWrites
    private var onFinished: (() -> Void)?
    private var isEnded = false
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.write() }
    private lazy var limitDeadline = self.context.loop.deadline { [weak self] in self?.hang() }

    /// What the last writes tell of the disk.
    private struct Disk {
        /// Whether the current write has exceeded `limit`.
        var isHanging = false
        /// The fault of the last write, which was logged; `nil` when it succeeded.
        var problem: StateDirectory.Problem?
        var hasFailed: Bool { self.problem != nil }
    }

    init(_ context: BridgeContext, onRecorded: @escaping (Set<DocumentOwner>) -> Void) {
        self.context = context
        self.answers = AwaitedWrites(context)
        self.keeper = context.program.stateDirectory.map { StateKeeper($0) }
        self.onRecorded = onRecorded
    }

    func setSource(_ source: @escaping () -> StateFile) { self.source = source }

    func load() -> StateFile {
        guard let keeper else { return StateFile() }
        do throws(StateDirectory.Problem) {
            let (file, isDamaged) = try keeper.load(self.context.logger)
            if isDamaged { self.save(.soon) }
            return file
        } catch {
            // The file may be intact, so it is not replaced.
            self.keeper = nil
            self.context.logger.error(
                "state file can't be read; nothing is remembered over a restart",
                metadata: [.reason: "\(error.cause)", .remedy: "\(error.remedy)"])
            return StateFile()
        }
    }

    // MARK: Changes

    var waitingOwners: Int { self.waiting.count }

    /// Schedules a write of changes.
    /// - Parameter device: the device of an urgent change.
    func save(_ urgency: WritePace.Urgency, of device: Device.ID? = nil) {
        if urgency == .now, let device, !self.isEnded { self.answers.changed(device) }
        guard self.keeper != nil, !self.isEnded else { return }
        self.pace.changed(urgency, now: self.context.time)
        self.arm()
    }

    /// Schedules a write of an owner's new topics.
    func saveTopics(of owner: DocumentOwner) {
        self.unwritten.insert(owner)
        self.save(.soon)
    }

    /// Calls `onRecorded` when all topics of the owner are on disk.
    func report(_ owner: DocumentOwner) {
        self.waiting.insert(owner)
        self.release()
    }

    /// Reports the owners that no longer need to wait.
    private func release() {
        let isFutile = self.keeper == nil || self.disk.isHanging || self.isEnded
        let recorded = isFutile ? self.waiting : self.waiting.subtracting(self.unwritten).subtracting(self.underWay)
        guard !recorded.isEmpty else { return }
        self.waiting.subtract(recorded)
        self.onRecorded(recorded)
    }

    /// Returns when all urgent changes of a device so far are on disk, or can't be written, at the latest after a second.
    /// - Returns: the fault because of which they are not on disk, so that a restart undoes them; `nil` when there is no such change.
    nonisolated(nonsending) func faultOfUrgentChanges(of id: Device.ID) async -> StateDirectory.Problem? {
        guard self.answers.holds(id), !self.isEnded else { return nil }
        guard self.keeper != nil else {
            self.answers.drop(id)
            return .missing
        }
        if !self.disk.isHanging { await self.answers.wait(for: id) }
        if let problem = self.disk.problem { return problem }
        return self.answers.holds(id) && !self.isEnded ? .notWritable(path: StateDirectory.devicesFile, errno: ETIMEDOUT) : nil
    }

    // MARK: Writing

    private func arm() { self.deadline.set(self.isWriting ? nil : self.pace.due.map { max($0, self.context.time) }) }

    private func write() {
        guard let keeper, !self.isWriting else { return }
        self.isWriting = true
        self.pace.begun()
        self.answers.writeBegan()
        (self.underWay, self.unwritten) = (self.unwritten, [])
        if self.onFinished == nil { self.limitDeadline.set(self.context.time + Self.limit) }
        keeper.save(self.source(), onDone: self.context.loop.entrance { [weak self] in self?.written($0) })
    }

    private func written(_ outcome: StateKeeper.Outcome) {
        if self.onFinished == nil { self.limitDeadline.cancel() }
        self.isWriting = false
        self.underWay = []
        self.answers.writeEnded()
        self.pace.ended(now: self.context.time)
        switch outcome {
        case .saved:
            if self.disk.isHanging || self.disk.hasFailed { self.context.logger.notice("state file is written again") }
            self.disk = Disk()
        case .failed(let problem):
            self.disk.isHanging = false
            self.pace.changed(.later, now: self.context.time)
            if problem != self.disk.problem {
                self.context.logger.error(
                    "state file can't be written", metadata: [.reason: "\(problem.cause)", .remedy: "\(problem.remedy)"])
            }
            self.disk.problem = problem
        }
        guard !self.isEnded else { return }
        self.release()
        guard self.onFinished != nil else { return self.arm() }
        self.disk.hasFailed || self.pace.due == nil ? self.finished() : self.write()
    }

    /// Handles a write that exceeded its limit: the bridge continues, and a crash may then leave stale topics.
    private func hang() {
        guard self.onFinished == nil else {
            self.context.logger.warning("state file was not written in time", metadata: [.remedy: "check the disk of the state directory"])
            return self.finished()
        }
        if !self.disk.isHanging, !self.disk.hasFailed {
            self.context.logger.error(
                "writing the state file takes too long; the bridge goes on without",
                metadata: [.limit: "\(Self.limit)", .remedy: "check the disk of the state directory"])
        }
        self.disk.isHanging = true
        self.release()
    }

    // MARK: The end

    /// Writes all unsaved changes and waits for it, at most `limitAtEnd`. Later changes are not written.
    nonisolated(nonsending) func end() async {
        if self.keeper != nil, self.isWriting || self.pace.due != nil {
            self.limitDeadline.set(self.context.time + Self.limitAtEnd)
            await withCheckedContinuation { continuation in
                self.onFinished = { continuation.resume() }
                self.write()
            }
        }
        self.isEnded = true
        self.answers.end()
        self.deadline.cancel()
        self.limitDeadline.cancel()
    }

    private func finished() {
        self.onFinished?()
        self.onFinished = nil
    }
}
