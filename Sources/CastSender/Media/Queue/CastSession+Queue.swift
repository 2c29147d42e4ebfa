import CastModels
import CastProtocol
import NIOCore

/// What a queue's state machine wants done, and what it is told.
extension CastSession {
    /// Whether the order of the whole queue is known.
    var isQueueKnown: Bool { self.mediaDesk.queue.isKnown }

    var queuePageSize: Int { self.mediaDesk.queuePageSize }

    /// The item if it is in the cache.
    func cachedQueueItem(_ id: Int) -> MediaQueueItem? { self.mediaDesk.queue.peek(id) }

    /// From here on the queue is kept up to date.
    func followQueue() {
        guard !self.mediaDesk.queue.isFollowed else { return }
        self.queueFollows(self.mediaDesk.queue.follow(self.mediaStatus))
    }

    func queueFollows(_ outcome: MediaQueueStateMachine.Outcome) {
        if let change = outcome.change { self.mediaDesk.queueChanges?.send(change) }
        if let change = outcome.change { self.updateQueueWindow(isForced: change.isOfContent) }
        if let mediaSessionID = outcome.fetchItemIDs { self.fetchItemIDs(of: mediaSessionID) }
    }

    /// QUEUE_CHANGE.
    func queueChanged(_ change: MediaMessage.QueueChange, by transportID: String) {
        guard transportID == self.machine.transport?.id else { return }
        self.queueFollows(self.mediaDesk.queue.changed(change))
    }

    /// Asks for the ids without anyone waiting for them.
    private func fetchItemIDs(of mediaSessionID: Int) {
        guard let transport = self.machine.transport else { return }
        self.sendRequest(
            namespace: CastNamespace.media, to: transport.id, timeout: self.configuration.requestTimeout,
            type: MediaRequest(.queueGetItemIDs).type,
            payload: { id throws(CastError) in try MediaRequest(.queueGetItemIDs, mediaSessionID: mediaSessionID).text(requestID: id) },
            completion: { result in self.assumeIsolated { $0.itemIDsEnded(result, of: mediaSessionID) } })
    }

    private func itemIDsEnded(_ result: Result<ReceivedPayload.Content?, CastError>, of mediaSessionID: Int) {
        guard self.mediaStatus?.mediaSessionID == mediaSessionID else { return }
        switch result {
        case .success(.media(.queueItemIDs(let ids, let number))):
            self.queueFollows(self.mediaDesk.queue.itemIDsAnswered(ids, sequenceNumber: number, of: mediaSessionID))
        case .success: self.queueFollows(self.mediaDesk.queue.itemIDsRefused(self.mediaStatus))
        case .failure(let error) where error.isSilence: self.queueFollows(self.mediaDesk.queue.itemIDsLost(self.mediaStatus))
        case .failure(let error) where Self.isRefusal(error): self.queueFollows(self.mediaDesk.queue.itemIDsRefused(self.mediaStatus))
        case .failure: self.mediaDesk.queue.itemIDsAbandoned()
        }
    }

    /// The ids of the queue in order, read when they are not known. Of a receiver that does not report them, the ids in its status.
    func queueItemIDs() async throws(CastError) -> [Int] {
        self.followQueueForReading()
        for _ in 0..<MediaQueueStateMachine.attemptLimit {
            if self.mediaDesk.queue.isKnown || self.mediaDesk.queue.isUntold { return self.mediaDesk.queue.itemIDs }
            if try await self.readItemIDs() { return self.mediaDesk.queue.itemIDs }
        }
        if self.mediaDesk.queue.isKnown || self.mediaDesk.queue.isUntold { return self.mediaDesk.queue.itemIDs }
        throw Self.queueTimeout
    }

    /// The ids of the whole queue in order, asked for once when they are not known.
    ///
    /// - Throws: `unsupportedFeature` when the receiver does not report them, `timeout` when it does not answer.
    func wholeQueueItemIDs() async throws(CastError) -> [Int] {
        self.followQueueForReading()
        if !self.isQueueKnown, !self.mediaDesk.queue.isUntold, try await !self.readItemIDs() { throw Self.queueTimeout }
        guard self.isQueueKnown else { throw MediaQueue.untold }
        return self.mediaDesk.queue.itemIDs
    }

    private static let queueTimeout = CastError(.timeout, detail: "the receiver does not report its queue in time")

    /// From here on the queue is kept up to date. The caller asks for what is not known.
    private func followQueueForReading() {
        guard !self.mediaDesk.queue.isFollowed else { return }
        var outcome = self.mediaDesk.queue.follow(self.mediaStatus)
        outcome.fetchItemIDs = nil
        self.queueFollows(outcome)
    }

    /// Asks for the ids once.
    ///
    /// - Returns: `false` when they have to be asked for again: no answer came, or it was about another media session than the present one.
    private func readItemIDs() async throws(CastError) -> Bool {
        let mediaSessionID = try await self.currentMediaStatus().mediaSessionID
        do throws(CastError) {
            guard case .queueItemIDs(let ids, let number) = try await self.ask(.queueGetItemIDs) else {
                throw CastError(.invalidResponse, detail: "the receiver doesn't tell its queue")
            }
            guard self.mediaStatus?.mediaSessionID == mediaSessionID else { return false }
            if !self.mediaDesk.queue.isKnown {
                self.queueFollows(self.mediaDesk.queue.itemIDsAnswered(ids, sequenceNumber: number, of: mediaSessionID))
            }
        } catch let error where error.isSilence {
            guard self.mediaStatus?.mediaSessionID == mediaSessionID else { return false }
            var outcome = self.mediaDesk.queue.itemIDsLost(self.mediaStatus)
            // The caller does it.
            outcome.fetchItemIDs = nil
            self.queueFollows(outcome)
            return false
        } catch let error where Self.isRefusal(error) {
            self.queueFollows(self.mediaDesk.queue.itemIDsRefused(self.mediaStatus))
        } catch {
            self.mediaDesk.queue.itemIDsAbandoned()
            throw error
        }
        return true
    }

    /// The items of `ids` in order, out of the cache where it has them; what the receiver doesn't know is left out.
    func queueItems(_ ids: [Int]) async throws(CastError) -> [MediaQueueItem] {
        self.followQueue()
        var found: [Int: MediaQueueItem] = [:]
        var missing: [Int] = []
        for id in ids where found[id] == nil {
            if let item = self.mediaDesk.queue.cachedItem(id) { found[id] = item } else { missing.append(id) }
        }
        for item in try await self.fetchQueueItems(missing) { if let id = item.itemID { found[id] = item } }
        return ids.compactMap { found[$0] }
    }

    /// The items of `ids` as the receiver tells them, in pages.
    func fetchQueueItems(_ ids: [Int]) async throws(CastError) -> [MediaQueueItem] {
        var found: [MediaQueueItem] = []
        // A page whose answer would fit no frame is asked for in halves.
        var pages = ids.pages(of: self.mediaDesk.queuePageSize)
        while !pages.isEmpty {
            let page = pages.removeFirst()
            do throws(CastError) {
                guard case .queueItems(let items, _) = try await self.ask(.queueGetItems(itemIDs: page)) else {
                    throw CastError(.invalidResponse, detail: "the receiver doesn't tell its queue's items")
                }
                self.mediaDesk.queue.itemsReceived(items)
                found += items
            } catch let error where error.isSilence && page.count > 1 {
                pages.insert(contentsOf: page.pages(of: (page.count + 1) / 2), at: 0)
            }
        }
        return found
    }

    /// Whether the receiver answered that it does not do this.
    static func isRefusal(_ error: CastError) -> Bool {
        switch error.code {
        case .invalidRequest, .unsupportedFeature, .invalidResponse, .unknown, .invalidMediaPlayerState: true
        default: false
        }
    }
}

extension CastError {
    /// Whether no answer came.
    var isSilence: Bool { self.code == .timeout || self.code == .requestIgnored }
}

extension [Int] {
    /// Consecutive parts of at most `size` elements.
    fileprivate func pages(of size: Int) -> [[Int]] {
        stride(from: 0, to: self.count, by: Swift.max(1, size)).map { Array(self[$0..<Swift.min($0 + Swift.max(1, size), self.count)]) }
    }
}
