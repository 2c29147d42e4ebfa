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
        try await self.send(.queueUpdate(.init(currentItemID: itemID, startTime: startTime)), customData: customData)
    }

    /// Skips this many items forward, or backward when negative; not 0.
    nonisolated(nonsending) public func jump(by count: Int, customData: JSONValue? = nil) async throws(CastError) {
        guard count != 0, abs(count.clampedMagnitude) <= Self.maximumJump else {
            throw .invalidArgument("count", "a number but 0 of at most \(Self.maximumJump), not \(count)")
        }
        try await self.send(.queueUpdate(.init(jump: count)), customData: customData)
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
    ///
    /// - Throws: `unsupportedFeature` when the receiver answered and uses another mode.
    nonisolated(nonsending) public func setRepeatMode(_ mode: RepeatMode, customData: JSONValue? = nil) async throws(CastError) {
        if case .unknown = mode { throw .invalidArgument("mode", "not a way of repeating") }
        try await self.session.control(customData: customData) { _ in .init(.queueUpdate(.init(repeatMode: mode)), replacing: .repeatMode) }
        let refusal = CastError(.unsupportedFeature, detail: "the receiver answered, but repeats as before")
        try await self.session.confirm(refusal) { $0.map { $0.queueRepeatMode ?? mode == mode } ?? true }
    }

    /// Shuffles the queue, or restores its order. Succeeds when the receiver offers shuffling and answers, or when it shows the new order.
    /// The media status then reports the change, also when the receiver does not.
    ///
    /// - Throws: the receiver's error with its `reason` when it refused; `unsupportedFeature` when it answered and the order did not
    ///   change.
    nonisolated(nonsending) public func setShuffled(_ isShuffled: Bool, customData: JSONValue? = nil) async throws(CastError) {
        let former = try await self.itemIDs
        try await self.session.control(customData: customData) { _ in .init(.queueUpdate(.init(shuffle: isShuffled))) }
        guard let status = await self.client.mediaStatus else { return }
        if status.queueData?.shuffle == isShuffled || status.queueRepeatMode == .allAndShuffle && isShuffled { return }
        if !status.supportedMediaCommands.contains(.queueShuffle) {
            // A receiver without shuffling may answer and ignore the command, so the order is compared.
            try await self.session.confirmShuffle(isShuffled, former: former)
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
        self.mediaObservation.queue.setCacheCapacity(cacheSize)
        self.mediaObservation.queuePageSize = pageSize
    }

    func recordShuffle(_ isShuffled: Bool) { self.perform(self.machine.shuffleConfirmed(isShuffled)) }

    /// Waits until the receiver reports the shuffle in its status, or another order.
    func confirmShuffle(_ isShuffled: Bool, former: [Int]) async throws(CastError) {
        let refusal = CastError(.unsupportedFeature, detail: "the receiver answered, but doesn't offer shuffling and keeps its order")
        if let answer = try? await self.ask(.queueGetItemIDs), case .queueItemIDs(let ids, _) = answer, ids != former { return }
        try await self.confirm(refusal) { $0?.queueData?.shuffle == isShuffled }
    }
}
