import CastModels
import CastProtocol

/// Controls the playback of the queue.
extension MediaQueue {
    /// Plays an item of the queue.
    ///
    /// - Parameters:
    ///   - itemID: the item to play.
    ///   - startTime: seconds into the item; `nil` uses the item's own start time.
    ///   - customData: data for the application.
    nonisolated(nonsending) public func jump(
        toItemID itemID: Int, startTime: Double? = nil, customData: JSONValue? = nil
    ) async throws(CastError) {
        try CastError.checkSeconds(startTime, "startTime")
        try await self.check([itemID], "itemID")
        try await self.session.control(customData: customData) { status in
            // The item that plays already shows nothing of a jump to a place in it.
            let observed: ObservedState = itemID == status.currentItemID ? .none : .item(itemID, formerID: status.currentItemID)
            return [.init(.queueUpdate(.init(currentItemID: itemID, startTime: startTime)), observed: observed)]
        }
    }

    /// Skips this many items forward, or backward when negative; not 0.
    nonisolated(nonsending) public func jump(by count: Int, customData: JSONValue? = nil) async throws(CastError) {
        guard count != 0, abs(count.clampedMagnitude) <= Self.maximumJump else {
            throw .invalidArgument("count", "a number but 0 of at most \(Self.maximumJump), not \(count)")
        }
        try await self.session.jump(by: count, customData: customData)
    }

    /// Skips to the next item.
    nonisolated(nonsending) public func next(customData: JSONValue? = nil) async throws(CastError) {
        try await self.jump(by: 1, customData: customData)
    }

    /// Skips to the previous item.
    nonisolated(nonsending) public func previous(customData: JSONValue? = nil) async throws(CastError) {
        try await self.jump(by: -1, customData: customData)
    }

    /// Sets the repeat mode of the queue.
    nonisolated(nonsending) public func setRepeatMode(_ mode: RepeatMode, customData: JSONValue? = nil) async throws(CastError) {
        if case .unknown = mode { throw .invalidArgument("mode", "not a way of repeating") }
        try await self.session.control(customData: customData) { _ in
            [.init(.queueUpdate(.init(repeatMode: mode)), observed: .repeatMode(mode), replacing: .repeatMode)]
        }
    }

    /// Shuffles the queue, or restores its order. Succeeds when the receiver offers shuffling and answers, or when it shows the new order.
    /// The media status then reports the change, also when the receiver does not.
    nonisolated(nonsending) public func setShuffled(_ isShuffled: Bool, customData: JSONValue? = nil) async throws(CastError) {
        let former = try await self.itemIDs
        try await self.session.control(customData: customData) { _ in
            [.init(.queueUpdate(.init(shuffle: isShuffled)), observed: .shuffled(isShuffled, formerIDs: former))]
        }
        await self.session.recordShuffle(isShuffled)
    }

    private static let maximumJump = 100_000
}

extension Int {
    /// The magnitude; `Int.max` for `Int.min`, which has no opposite.
    fileprivate var clampedMagnitude: Int { self == .min ? .max : self }
}

extension CastSession {
    func configureQueue(cacheSize: Int, pageSize: Int) {
        self.mediaObservation.configureQueue(cacheSize: cacheSize, pageSize: pageSize)
    }

    /// Records a shuffle that the receiver does not report.
    func recordShuffle(_ isShuffled: Bool) {
        guard let status = self.machine.media, status.queueData?.shuffle != isShuffled,
            status.queueRepeatMode != .allAndShuffle || !isShuffled
        else { return }
        self.input { machine, _ in machine.shuffleConfirmed(isShuffled) }
    }

    func jump(by count: Int, customData: JSONValue?) async throws(CastError) {
        try await self.control(customData: customData) { status in
            let item = SkippedItem(status, at: MonotonicTime(self.eventLoop.now))
            return [.init(.queueUpdate(.init(jump: count)), observed: .skipped(item))]
        }
    }
}
