import CastModels
import EventLoopTiming
import NIOCore
import Synchronization

/// A running search for a lost stream. It includes devices that are found meanwhile.
final class StreamSearch: Sendable {
    /// The largest number of devices that one search connects to.
    static let limit = 256

    let devices: AsyncStream<Device>
    private let source: AsyncStream<Device>.Continuation
    private let excluded: Set<Device.ID>
    private let considered = Mutex<Set<Device.ID>>([])

    /// - Parameter excluded: the device that lost the stream, and its members if it is a group: they only show the group's end.
    init(excluded: Set<Device.ID>) {
        self.excluded = excluded
        (self.devices, self.source) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.limit))
    }

    func consider(_ device: Device) {
        guard !self.excluded.contains(device.id),
            self.considered.withLock({ $0.count < Self.limit && $0.insert(device.id).inserted })
        else { return }
        self.source.yield(device)
    }

    func end() { self.source.finish() }
}

/// Follows a stream that another sender moved to another device.
extension SessionManager {
    /// Starts the search for the lost stream on other devices.
    func search(_ entry: ManagedSession) {
        guard let (stream, search) = entry.beginSearch() else {
            self.change(entry) { $0.searched(isFound: false) }
            return
        }
        for device in self.candidates { search.consider(device) }
        let key = entry.key
        self.run { await self.find(stream, by: search, for: key) }
    }

    /// Checks each device until one continues the stream, or the time limit has passed.
    private func find(_ stream: LostStream, by search: StreamSearch, for key: ManagedSession.Key) async {
        let eventLoop = self.eventLoop
        let (results, found) = AsyncStream<(Device, ReceiverApplication)>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let patience = TimeAmount.nanoseconds(StreamTrail.patience.wholeNanoseconds)
        let target: (Device, ReceiverApplication)? = await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await sleep(patience, on: eventLoop)
                search.end()
            }
            group.addTask {
                await withDiscardingTaskGroup { looks in
                    for await device in search.devices {
                        looks.addTask {
                            if let application = await self.look(for: stream, on: device) { found.yield((device, application)) }
                        }
                    }
                    looks.cancelAll()
                }
                found.finish()
            }
            defer { group.cancelAll() }
            for await result in results { return result }
            return nil
        }
        search.end()
        guard let entry = self.entry(key), entry.endSearch(search) else { return }
        if let (device, application) = target {
            self.move(entry, to: device, application)
        } else {
            self.change(entry) { $0.searched(isFound: false) }
        }
    }

    /// - Returns: the application that continues the stream; `nil` when none does in time.
    private nonisolated func look(for stream: LostStream, on device: Device) async -> ReceiverApplication? {
        let patience = TimeAmount.nanoseconds(StreamTrail.patience.wholeNanoseconds)
        return try? await self.temporaryConnection.withSession(of: device, limit: patience) { session throws(CastError) in
            try await session.application(continuing: stream, within: patience)
        }
    }
}

extension CastSession {
    /// Waits until the device continues a stream that another one lost.
    fileprivate func application(continuing stream: LostStream, within limit: TimeAmount) async throws(CastError) -> ReceiverApplication? {
        let eventLoop = self.eventLoop
        let isFound = try await self.wait(limit) {
            stream.isContinued(by: $0.receiver?.application, media: $0.media, at: MonotonicTime(eventLoop.now))
        }
        return isFound ? self.machine.receiver?.application : nil
    }
}
