import BridgeCore
import CastSender

/// The waiting and running commands of one device: performs the decisions of its `CommandQueue`.
final class DeviceCommands {
    private let context: BridgeContext
    private let device: DeviceAgent
    /// `nil` after the bridge has ended; a task may still be running then.
    private weak var router: CommandRouter?
    private var commandQueue = CommandQueue()
    /// The running commands; each is cancelled with its task or with the bridge.
    private var running: [CommandQueue.Ticket: Running] = [:]
    /// Fires when a waiting command may start or has waited for too long.
    private lazy var deadline = self.context.loop.deadline { [weak self] in self?.wake() }

    private struct Running {
        var task: Task<Void, Never>
        var isLoad: Bool
        /// What it loads.
        var media: MediaInformation?
        /// The device whose media session it stops: this one, or the group that plays on it.
        var stopped: DeviceAgent?
    }

    init(_ context: BridgeContext, device: DeviceAgent, router: CommandRouter) {
        (self.context, self.device, self.router) = (context, device, router)
    }

    var count: Int { self.commandQueue.count }
    var runningCount: Int { self.running.count }

    // MARK: Events

    func receive(_ envelope: CommandEnvelope, _ command: DeviceCommand, now: Now) {
        self.noteProgress()
        self.perform(self.commandQueue.receive(envelope, command, now: now))
    }

    func connected() { self.commandQueue.becameAvailable() }

    func disconnected() { self.perform(self.commandQueue.becameUnavailable(now: self.context.time)) }

    func volumeReported(_ volume: DeviceVolume) {
        self.commandQueue.volumeReported(level: volume.level, stepInterval: volume.stepInterval, now: self.context.time)
    }

    func stateChanged() { if !self.running.isEmpty { self.noteProgress() } }

    private func noteProgress() {
        // The state is read in place, because a copy of it costs as much as the rest.
        let isLoading = self.device.state.media.reported.map { $0.isLoading || $0.playerState == .buffering } ?? false
        self.perform(
            self.commandQueue.progressed(
                isLoading: isLoading, application: self.device.state.receiver?.application?.sessionID,
                isAsking: self.device.state.application.part.role == .waitingForPermission, now: self.context.time))
    }

    /// Answers all waiting and running commands; later ones are refused.
    func close() { self.perform(self.commandQueue.close(now: self.context.time)) }

    /// Cancels the running commands; no timer fires afterwards.
    func cancel() {
        for command in self.running.values { command.task.cancel() }
        self.running = [:]
        self.deadline.cancel()
    }

    private func wake() {
        self.noteProgress()
        self.perform(self.commandQueue.wake(now: self.context.time))
    }

    // MARK: Decisions of the queue

    private func perform(_ actions: [CommandQueue.Action]) {
        for action in actions {
            switch action {
            case .start(let ticket, let command, _): self.start(ticket, command)
            case .abandon(let ticket, let code): self.abandon(ticket, code)
            case .answer(let answer): self.router?.answer(answer, of: self.device)
            case .wake(let time): self.deadline.set(time)
            }
        }
    }

    private func start(_ ticket: CommandQueue.Ticket, _ command: DeviceCommand) {
        let content = self.commandQueue.content(of: ticket)
        if let preset = content?.preset { self.router?.memory.began(preset, on: self.device.id) }
        // A command for all devices also goes to the group itself.
        let group = self.commandQueue.isShare(ticket) ? nil : self.router?.group(concernedBy: command, of: self.device)
        let isLoad = command.isLoad || (command.loadsWithoutQueue && self.device.state.media.reported == nil && group == nil)
        if isLoad { self.router?.reduce(.loadRequested, of: self.device) }
        if command == .pause, self.running.values.contains(where: \.isLoad) { self.router?.reduce(.loadStalled, of: self.device) }
        let stopped: DeviceAgent? = if case .stop = command { group ?? self.device } else { nil }
        if let stopped { self.router?.reduce(.stopRequested, of: stopped) }
        self.context.count { $0.castRequests += 1 }
        let (session, groupKey) = (self.device.session, group?.key)
        let task = self.context.loop.start(self, staysOnLoop: true) { commands in
            let result = await commands.router?.run(
                command, of: commands.device.key, over: session, by: groupKey, customData: content?.customData,
                volume: content?.preset?.volume)
            guard let result else { return }
            if let content, !result.isError, commands.running[ticket] != nil {
                commands.router?.played(command, content, result, on: commands.device)
            }
            commands.ended(ticket, command, result)
        }
        self.running[ticket] = Running(task: task, isLoad: isLoad, media: isLoad ? command.loadedMedia : nil, stopped: stopped)
    }

    /// Ends a command that no client waits for. Its end is reported here, because the next one may begin before its task has ended.
    private func abandon(_ ticket: CommandQueue.Ticket, _ code: AnswerCode) {
        guard let running = self.running.removeValue(forKey: ticket) else { return }
        running.task.cancel()
        switch code {
        case .timeout:
            self.context.count { $0.castTimeouts += 1 }
            self.reportEnd(of: running, failure: CommandResult(code))
        case .superseded: self.reportEnd(of: running, failure: nil)
        // The device or the bridge is leaving, and no more is reported of it.
        default: break
        }
    }

    private func ended(_ ticket: CommandQueue.Ticket, _ command: DeviceCommand, _ result: CommandResult) {
        guard let running = self.running.removeValue(forKey: ticket) else { return }
        if result.code == .timeout { self.context.count { $0.castTimeouts += 1 } }
        self.reportEnd(of: running, failure: result.isError ? result : nil)
        if case .get(let document) = command, !result.isError { self.router?.sendAgain(document, of: self.device) }
        let actions = self.commandQueue.finished(ticket, result, now: self.context.time)
        self.perform(Array(actions.dropFirst(self.heldAnswers(of: command, result, in: actions))))
    }

    /// Keeps the answers of a failed load until its medium is checked. The next command begins at once.
    /// - Returns: the number of leading actions that this completes.
    private func heldAnswers(of command: DeviceCommand, _ result: CommandResult, in actions: [CommandQueue.Action]) -> Int {
        guard result.isWorthChecking, let media = command.loadedMedia else { return 0 }
        // The command's own answer comes first, then those of its repetitions.
        var answers: [CommandAnswer] = []
        for case .answer(let answer) in actions.prefix(while: { if case .answer = $0 { true } else { false } }) {
            guard answers.isEmpty || answer.result.code == .duplicate else { break }
            answers.append(answer)
        }
        // For a command to all devices, every device would fetch the same medium.
        guard let first = answers.first, first.envelope.fanOut == nil else { return 0 }
        return self.router?.hold(answers, checking: media, of: self.device) == true ? answers.count : 0
    }

    /// - Parameter failure: the result; `nil` on success.
    private func reportEnd(of running: Running, failure: CommandResult?) {
        if running.isLoad {
            let detail = failure?.data["detailed_error_code"]?.intValue
            self.router?.reduce(.loadEnded(failure: failure?.code.rawValue, detail: detail, media: running.media), of: self.device)
        }
        if let stopped = running.stopped, failure != nil { self.router?.reduce(.stopFailed, of: stopped) }
    }
}
