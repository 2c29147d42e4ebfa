import EventLoopTiming
import LogKeys
import Logging
import NIOCore

/// Asks devices what they can run, as far as the criteria need it; `DeviceInquiry` decides which and when. Used on its owner's event loop.
final class ApplicationQuestions {
    /// The number of devices that are asked concurrently.
    private static let concurrency = 4
    /// The time limit for asking one device.
    private static let limit = TimeAmount.seconds(10)

    private let criteria: DiscoveryCriteria
    private let connection: TemporaryConnection
    private let logger: Logger
    private var inquiry: DeviceInquiry
    private let signal = StateSource<Void>(())
    private lazy var deadline = Deadline(on: self.connection.eventLoop) { [signal] in signal.set(()) }

    init(_ criteria: DiscoveryCriteria, connection: TemporaryConnection, logger: Logger) {
        self.criteria = criteria
        self.connection = connection
        self.logger = logger
        self.inquiry = DeviceInquiry(criteria: criteria)
    }

    /// The number of calls of `run` that are needed.
    var runners: Int { self.criteria.needsAnswers ? Self.concurrency : 0 }

    /// Returns whether the device's answer meets the criteria, if it matters.
    func isWanted(_ id: Device.ID) -> Bool { !self.criteria.needsAnswers || self.inquiry.isWanted(id) }

    func seen(_ device: Device) {
        guard self.criteria.needsAnswers else { return }
        self.inquiry.seen(device, now: self.connection.eventLoop.now)
        self.arm()
    }

    /// Asks one device after the other until the task is cancelled.
    func run(isolation: isolated (any Actor)? = #isolation, onAnswer: (Device.ID) -> Void) async {
        var signals = self.signal.sequence.makeAsyncIterator()
        while await signals.next(isolation: isolation) != nil {
            while !Task.isCancelled, let device = self.inquiry.next(now: self.connection.eventLoop.now) {
                let answer = await self.ask(device)
                self.inquiry.answered(device.id, answer, now: self.connection.eventLoop.now)
                onAnswer(device.id)
                self.arm()
            }
            self.arm()
        }
    }

    private func ask(_ device: Device, isolation: isolated (any Actor)? = #isolation) async -> DeviceInquiry.Answer? {
        let criteria = self.criteria
        do throws(CastError) {
            return try await self.connection.withSession(of: device, limit: Self.limit) { session throws(CastError) in
                try await session.answer(criteria)
            }
        } catch {
            self.logger.debug("a device can't be asked what it can run", metadata: [.castDevice: "\(device.id)", .error: "\(error)"])
            return nil
        }
    }

    private func arm() {
        guard let deadline = self.inquiry.nextDeadline else { return }
        guard deadline > self.connection.eventLoop.now else { return self.signal.set(()) }
        self.deadline.arm(at: deadline)
    }
}

extension CastSession {
    /// Asks the device for the data that the criteria compare.
    fileprivate func answer(_ criteria: DiscoveryCriteria) async throws(CastError) -> DeviceInquiry.Answer {
        let ids = criteria.applicationIDs
        let availability = ids.isEmpty ? [:] : try await self.applicationAvailability(ids)
        return DeviceInquiry.Answer(availability: availability, namespaces: Set(self.receiverStatus?.application?.namespaces ?? []))
    }
}
