import BridgeCore
import CastSender
import EventLoopTiming

/// Decides when the documents of each device may be published, forms them, and sends position ticks.
final class DevicePublications {
    private let context: BridgeContext
    private let publisher: PublisherRunner
    private var schedules: [ObjectIdentifier: Schedule] = [:]

    private final class Schedule {
        let device: DeviceAgent
        var pace = DocumentPace()
        /// Whether all its documents were due since its state was first known.
        var wasWhole = false
        let paceDeadline: Deadline
        let tickDeadline: Deadline

        init(_ device: DeviceAgent, paceDeadline: Deadline, tickDeadline: Deadline) {
            (self.device, self.paceDeadline, self.tickDeadline) = (device, paceDeadline, tickDeadline)
        }

        func cancel() {
            self.paceDeadline.cancel()
            self.tickDeadline.cancel()
        }
    }

    init(_ context: BridgeContext, publisher: PublisherRunner) { (self.context, self.publisher) = (context, publisher) }

    // MARK: What changes

    /// Notes that these documents of the device may differ from what was published.
    func changed(_ device: DeviceAgent, _ documents: DeviceDocuments) {
        let schedule = self.schedule(of: device)
        let documents = documents.intersection(.all)
        // The first complete state of a device is sent in one round, because a part of it would leave stale topics of an earlier run.
        let isPaced = documents != .all || schedule.wasWhole
        if documents == .all, device.state.link.isDetermined { schedule.wasWhole = true }
        let isSettling = device.state.player.isSettling
        let due = isPaced ? schedule.pace.changed(documents, isSettling: isSettling, at: self.context.time) : documents
        self.mark(schedule, due)
        self.armTick(schedule)
    }

    /// Notes that an event was applied to the device's state and changed no document. Its next position tick may be due at another time.
    func reduced(_ device: DeviceAgent) { self.armTick(self.schedule(of: device)) }

    /// Removes the device; no timer of it fires afterwards.
    func dismiss(_ device: DeviceAgent) { self.schedules.removeValue(forKey: ObjectIdentifier(device))?.cancel() }

    func end() {
        for schedule in self.schedules.values { schedule.cancel() }
        self.schedules = [:]
    }

    private func schedule(of device: DeviceAgent) -> Schedule {
        if let schedule = self.schedules[ObjectIdentifier(device)] { return schedule }
        let schedule = Schedule(
            device,
            paceDeadline: self.context.loop.deadline { [weak self, weak device] in
                guard let self, let device, let schedule = self.schedules[ObjectIdentifier(device)] else { return }
                self.mark(schedule, schedule.pace.release(at: self.context.time))
            },
            tickDeadline: self.context.loop.deadline { [weak self, weak device] in
                guard let self, let device, let schedule = self.schedules[ObjectIdentifier(device)] else { return }
                self.publisher.tick(self.context.mapper.ticks(for: device.state, at: self.context.time), of: .device(device.id))
                self.armTick(schedule)
            })
        self.schedules[ObjectIdentifier(device)] = schedule
        return schedule
    }

    private func mark(_ schedule: Schedule, _ documents: DeviceDocuments) {
        schedule.paceDeadline.set(schedule.pace.nextDeadline)
        if !documents.isEmpty { self.publisher.changed(.device(schedule.device.id), documents) }
    }

    private func armTick(_ schedule: Schedule) {
        schedule.tickDeadline.set(schedule.device.nextTick(by: self.context.mapper, after: self.context.time))
    }

    // MARK: Forming

    /// Appends documents of a device to a batch.
    /// - Parameter keepsOldTopics: whether documents below an earlier slug stay for now.
    /// - Returns: what to do with the device's other topics.
    func form(_ documents: DeviceDocuments, of device: DeviceAgent, keepsOldTopics: Bool, _ batch: inout MessageBatch) -> RemainingTopics {
        // A dynamic group has no topics, unless the configuration enables them.
        guard device.isPublished(by: self.context.mapper) else { return .cleared }
        // Over a takeover clients see no device leave that the new leader reaches.
        let isUndecided = self.context.takesOver && !device.state.link.isDetermined
        device.write(
            isUndecided ? documents.subtracting(.availability) : documents, with: self.context.mapper, at: self.context.now.wall, to: &batch
        )
        // Before the device's state is known only `availability` is published; documents of an earlier run stay as they are.
        guard !keepsOldTopics, documents.isSuperset(of: .all) else { return .kept }
        return device.remainingTopics(by: self.context.mapper)
    }

    /// Sends one document again although it did not change, because a client asked for it. It is queued among the answers, so that it arrives
    /// before the answer to that request.
    func sendAgain(_ document: DeviceDocuments.Name, of device: DeviceAgent) {
        for message in device.messages(of: DeviceDocuments(document), with: self.context.mapper) {
            self.publisher.enqueue(answer: message, tooLarge: .clearing(message.topic))
        }
    }
}
