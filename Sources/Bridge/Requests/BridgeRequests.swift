import BridgeCore
import CastSender
import Logging

/// Executes the requests to the bridge below `bridge/request/` and answers each exactly once: at once, or when the affected topics or
/// devices have reached the requested state.
final class BridgeRequests {
    let context: BridgeContext
    let fleet: DeviceFleet
    let plans: TopicPlans
    private let log: LogPublisher
    private let staleTopics: StaleTopics
    unowned let bridge: BridgeParts
    private var open = OpenRequests()
    /// The answers that wait until what they tell is on disk.
    private var writing: (number: Int, answers: [Int: [CommandAnswer]]) = (0, [:])
    /// The number of hosts and interfaces that the answer of `discover` names.
    private static let problemLimit = 64
    /// Limits snapshots, each of which is as large as all documents together.
    private var snapshots = RequestAllowance(4, every: .seconds(10))
    /// The hosts that are being asked for their identity.
    private var probes: [DeviceEndpoint: Task<Void, Never>] = [:]
    /// Limits searches, each of which queries every interface and connects to every device that is offline.
    private var searches = RequestAllowance(4, every: .seconds(10))
    private var searching: Task<Void, Never>?
    /// Limits pages of media, each of which reads a disk.
    private var listings = RequestAllowance(20, every: .seconds(10))

    init(
        _ context: BridgeContext, fleet: DeviceFleet, plans: TopicPlans, log: LogPublisher, staleTopics: StaleTopics,
        bridge: BridgeParts
    ) {
        self.context = context
        self.fleet = fleet
        self.plans = plans
        self.log = log
        self.staleTopics = staleTopics
        self.bridge = bridge
    }

    func run(_ command: BridgeCommand, for envelope: CommandEnvelope) {
        switch command {
        case .healthCheck: self.answer(envelope, .done(["healthy": .bool(true)]))
        case .discover: self.discover(envelope)
        case .republish:
            self.bridge.republish()
            self.answer(envelope, .done())
        case .snapshot:
            guard self.take(&self.snapshots, "Snapshots", envelope) else { return }
            self.answer(envelope, .done(["documents": .object(self.snapshot())]))
        case .logLevel(let changes): self.answer(envelope, self.change(changes))
        case .reload: self.reload(envelope)
        case .restart: self.restart(envelope)
        case .addDevice(let endpoint): self.addDevice(at: endpoint, envelope)
        case .renameDevice(let name, let slug): self.renameDevice(name, to: slug, envelope)
        case .deviceOptions(let name, let changes): self.changeDevice(name, changes, envelope)
        case .removeDevice(let name, let kind): self.removeDevice(name, kind, envelope)
        case .cleanTopics(let apply): self.clean(apply: apply, envelope)
        case .browseMedia(let place, let offset): self.browseMedia(place, from: offset, envelope)
        case .preset(let name, let object): self.changePreset(name, to: object, envelope)
        case .homeAssistantMode(let mode): self.changeMode(to: mode, envelope)
        case .searchMedia(let query, let offset): self.searchMedia(query, from: offset, envelope)
        }
    }

    /// Asks a host for its identity, unless it is being asked.
    func probe(_ endpoint: DeviceEndpoint) {
        guard self.probes[endpoint] == nil else { return }
        self.probes[endpoint] = self.context.loop.start(self) { requests in
            defer { requests.probes[endpoint] = nil }
            do throws(CastError) {
                requests.probed(endpoint, try await requests.fleet.locate(endpoint, within: Self.probeLimit))
            } catch {
                requests.notProbed(endpoint, error)
            }
        }
    }

    /// Answers all pending requests, and cancels their work.
    func close() {
        for answer in self.open.close(now: self.context.time) + self.writing.answers.values.joined() { self.bridge.answer(answer) }
        self.writing.answers = [:]
        for task in self.probes.values { task.cancel() }
        self.probes = [:]
        self.searching?.cancel()
    }

    // MARK: Answers

    func answer(_ envelope: CommandEnvelope, _ result: CommandResult) {
        self.bridge.answer(CommandAnswer(to: envelope, result, now: self.context.time))
    }

    /// Answers with what `work` returns.
    func answerLater(_ envelope: CommandEnvelope, _ work: nonisolated(nonsending) @escaping @Sendable () async -> CommandResult) {
        _ = self.context.loop.start(self) { requests in
            let result = await work()
            requests.context.loop.turn { requests.answer(envelope, result) }
        }
    }

    func takeListing(_ what: String, _ envelope: CommandEnvelope) -> Bool { self.take(&self.listings, what, envelope) }

    /// Returns whether an allowance has room; otherwise the request is refused.
    private func take(_ allowance: inout RequestAllowance, _ what: String, _ envelope: CommandEnvelope) -> Bool {
        let isAllowed = allowance.take(now: self.context.time)
        if !isAllowed { self.answer(envelope, CommandResult(.rateLimited, message: "\(what) are limited to \(allowance).")) }
        return isAllowed
    }

    /// Returns whether there is no room for another request; the request is then refused.
    func refusesMore(_ envelope: CommandEnvelope) -> Bool {
        guard self.open.isFull else { return false }
        self.answer(envelope, CommandResult(.rateLimited, message: "Too many requests are under way."))
        return true
    }

    /// Keeps a request until `finish`; refuses it when there are too many.
    /// - Parameter data: the data that is known already; it precedes the data of the result.
    func hold(_ envelope: CommandEnvelope, about subject: OpenRequests.Subject, data: JSONObject = [:]) -> Bool {
        guard !self.refusesMore(envelope) else { return false }
        self.open.append(envelope, about: subject, data: data)
        return true
    }

    /// Answers the requests that waited for this subject.
    func finish(_ subject: OpenRequests.Subject, _ result: CommandResult) {
        for answer in self.open.finish(subject, result, now: self.context.time) { self.bridge.answer(answer) }
    }

    /// Answers the requests that waited for this change of a device, once it is on disk.
    func finish(_ subject: OpenRequests.Subject, of device: Device.ID, _ result: CommandResult) {
        self.keep(self.open.finish(subject, result, now: self.context.time), of: device)
    }

    /// Sends answers about a change of a device once it is on disk. They say so when it is not.
    func keep(_ answers: [CommandAnswer], of device: Device.ID) {
        guard !answers.isEmpty else { return }
        self.bridge.record.save(device, .now)
        self.writing.number += 1
        let number = self.writing.number
        self.writing.answers[number] = answers
        _ = self.context.loop.start(self) { requests in
            let fault = await requests.bridge.record.faultOfUrgentChanges(of: device)
            requests.context.loop.turn {
                for var answer in requests.writing.answers.removeValue(forKey: number) ?? [] {
                    answer.result = answer.result.notKept(fault)
                    requests.bridge.answer(answer)
                }
            }
        }
    }

    // MARK: Requests

    private func discover(_ envelope: CommandEnvelope) {
        guard self.take(&self.searches, "Searches", envelope), self.hold(envelope, about: .search) else { return }
        self.searching?.cancel()
        self.fleet.wakeAll()
        self.searching = self.context.loop.start(self) { await $0.search() }
    }

    /// Answers with the state before the search, including the requests whose search this one replaces, then searches for devices.
    private nonisolated(nonsending) func search() async {
        let hint = await self.fleet.hint()
        let problems = await self.fleet.discoveryProblems()
        if Task.isCancelled { return }
        var data: JSONObject = ["known": .integer(Int64(self.fleet.devices.count))]
        for (name, text) in [("cause", hint?.cause.rawValue), ("reason", hint?.reason), ("remedy", hint?.remedy)] {
            data.append(name, text.map(JSONValue.string) ?? .null)
        }
        data.append("problems", .array(problems.prefix(Self.problemLimit).map { .object($0.facts) }))
        self.context.loop.turn { self.finish(.search, .done(data)) }
        await self.fleet.searchNow()
    }

    /// Returns every retained document by its topic, as JSON where it is JSON. Pictures are not text and are left out.
    private func snapshot() -> JSONObject {
        var documents = JSONObject()
        let now = self.context.now.wall
        for message in self.bridge.retainedMessages() where !message.payload.isEmpty && message.content != .binary {
            let payload = message.payload(at: now)
            let value = message.content == .text ? nil : try? JSONParser.parse(payload)
            documents.append(message.topic, value ?? .string(String(decoding: payload, as: UTF8.self)))
        }
        return documents
    }

    private func change(_ changes: BridgeCommand.LogLevels) -> CommandResult {
        let former = self.log.settings
        self.log.change(changes)
        self.bridge.informationChanged()
        let data = self.log.settings
        if data != former { self.bridge.publish(BridgeEvent(.configChanged, data: ["log": .object(data)])) }
        return .done(data)
    }

    private func reload(_ envelope: CommandEnvelope) {
        guard let settings = self.context.program.settings else {
            return self.answer(envelope, CommandResult(.notSupported, message: "This program has no configuration to read again."))
        }
        self.answerLater(envelope) {
            do throws(SettingsRefusal) { return .done(try await settings.reload()) } catch {
                return CommandResult(
                    .notApplied, message: error.message, hint: "Correct it: cast2mqtt check-config prints every mistake.")
            }
        }
    }

    /// Announces in another form, and keeps that in the chosen settings.
    private func changeMode(to mode: HomeAssistantOptions.Mode, _ envelope: CommandEnvelope) {
        let options = self.context.settings.homeAssistant
        let places: [HomeAssistantOptions.ModeSource: String] = [.environment: "in the environment", .file: "in the configuration file"]
        let place = places[options.modeSource]
        if place != nil, mode == options.mode { return self.answer(envelope, self.modeResult) }
        guard place == nil, options.mode.isWhole else {
            return self.answer(
                envelope,
                CommandResult(
                    .notApplied, message: "home_assistant.mode is \(options.mode.rawValue), set \(place ?? "in the settings").",
                    hint: "Set it to \(mode.rawValue) there, or remove it there, and restart the bridge."))
        }
        self.changeSettings(for: envelope, result: { $0.modeResult }) { settings async throws(SettingsRefusal) in
            _ = try await settings.change([("home_assistant.mode", .string(mode.rawValue))], triesBroker: false)
        }
    }

    private var modeResult: CommandResult {
        let options = self.context.settings.homeAssistant
        return .done(["mode": .string(options.mode.rawValue), "source": .string(options.modeSource.rawValue)])
    }

    private func restart(_ envelope: CommandEnvelope) {
        guard let restart = self.context.program.onRestart else {
            return self.answer(envelope, CommandResult(.notSupported, message: "This program can't restart itself."))
        }
        self.context.logger.notice("restarting on request")
        self.answer(envelope, .done())
        restart()
    }

    private func clean(apply: Bool, _ envelope: CommandEnvelope) {
        if let refusal = self.staleTopics.clean(apply: apply) { return self.answer(envelope, refusal) }
        self.open.append(envelope, about: .cleaning)
    }
}
