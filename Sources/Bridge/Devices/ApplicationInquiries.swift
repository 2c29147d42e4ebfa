import BridgeCore
import CastSender

/// Asks devices which applications they can run, each time their link is ready: those that Home Assistant would offer, and those required
/// by `discovery.applications`. A question ends with the answer, with its session, with its device, or when it is asked again.
final class ApplicationInquiries {
    private let context: BridgeContext
    private unowned let fleet: DeviceFleet
    private let onExamined: (DeviceAgent.Key, Bool?) -> Void
    /// The pending questions about applications that Home Assistant would offer.
    private var offers: [DeviceAgent.Key: Task<Void, Never>] = [:]
    /// The pending questions about required applications, also to devices that have no agent.
    private var examinations: [DeviceAgent.Key: Task<Void, Never>] = [:]

    /// - Parameter onExamined: receives whether a device can run one of the required applications; `nil` when it did not answer.
    init(
        _ context: BridgeContext, fleet: DeviceFleet, onExamined: @escaping (DeviceAgent.Key, Bool?) -> Void
    ) {
        (self.context, self.fleet, self.onExamined) = (context, fleet, onExamined)
    }

    // MARK: Offered applications

    /// Asks which of the applications that Home Assistant would offer the device can run.
    func askForOffers(_ agent: DeviceAgent) {
        let options = self.context.announcementMapper.options
        guard options.homeAssistant.mode != .off, !options.applications.ids.isEmpty, let session = agent.session else { return }
        let (key, ids) = (agent.key, options.applications.ids.values.sorted())
        agent.offersRequested()
        let task = self.context.loop.start(self) { await $0.askForOffers(ids, of: key, over: session) }
        self.offers.updateValue(task, forKey: key)?.cancel()
    }

    /// Asks over a session. A device that does not answer keeps its last answer; without one, all applications are offered.
    private nonisolated(nonsending) func askForOffers(_ ids: [String], of key: DeviceAgent.Key, over session: CastSession) async {
        let answer = try? await session.applicationAvailability(ids)
        guard !Task.isCancelled else { return }
        self.offers[key] = nil
        guard let agent = self.fleet.device(key) else { return }
        let unavailable = answer.map { Set($0.filter { $0.value == .unavailable }.keys) }
        self.fleet.reduce(.applicationsReported(unavailable: unavailable ?? agent.state.application.unavailable), of: agent)
    }

    // MARK: Required applications

    /// Whether devices must be able to run one of the required applications.
    var areRequired: Bool { !self.context.settings.cast.requiredApplications.isEmpty }

    /// Asks a device whether it can run a required application; calls `onExamined` at the end, unless it is cancelled.
    func examine(_ key: DeviceAgent.Key, over session: CastSession) {
        let task = self.context.loop.start(self) { await $0.examineNow(key, over: session) }
        self.examinations.updateValue(task, forKey: key)?.cancel()
    }

    private nonisolated(nonsending) func examineNow(_ key: DeviceAgent.Key, over session: CastSession) async {
        let ids = self.context.settings.cast.requiredApplications
        let answer = try? await session.applicationAvailability(ids)
        // A later question has replaced this one in the table.
        guard !Task.isCancelled else { return }
        self.examinations[key] = nil
        self.onExamined(key, answer.map { answer in ids.contains { answer[$0] == .available } })
    }

    // MARK: End

    /// Cancels the questions to a device that is dismissed, or whose link was lost before it had an agent.
    func cancel(_ key: DeviceAgent.Key) {
        self.offers.removeValue(forKey: key)?.cancel()
        self.examinations.removeValue(forKey: key)?.cancel()
    }

    func end() {
        for task in self.offers.values { task.cancel() }
        for task in self.examinations.values { task.cancel() }
    }
}
