import CastModels
import CastProtocol
import NIOCore

/// Performs the actions of the queue's state machine and reports events to it.
extension CastSession {
    /// Whether the order of the whole queue is known.
    var isQueueKnown: Bool { self.mediaObservation.queue.isKnown }

    var queuePageSize: Int { self.mediaObservation.queuePageSize }

    /// Returns the item if it is in the cache.
    func cachedQueueItem(_ id: Int) -> MediaQueueItem? { self.mediaObservation.queue.peek(id) }

    /// Keeps the queue up to date from now on.
    func followQueue() {
        let status = self.machine.media
        if !self.mediaObservation.queue.isFollowed { self.queueFollows { $0.follow(status) } }
    }

    /// Changes the queue's machine and performs what follows.
    ///
    /// - Parameter isReading: whether the caller requests the missing ids itself.
    func queueFollows(isReading: Bool = false, _ change: (inout MediaQueueStateMachine) -> MediaQueueStateMachine.Outcome) {
        let outcome = self.mediaObservation.change(change)
        if let change = outcome.change {
            self.mediaObservation.queueChanges?.send(change)
            self.updateQueueWindow(isForced: change.isOfContent)
        }
        if !isReading, let mediaSessionID = outcome.fetchItemIDs { self.fetchItemIDs(of: mediaSessionID) }
        if case .updated(let itemIDs) = outcome.change { self.observe(.queue, updatedIDs: itemIDs) } else { self.observe(.queue) }
    }

    /// Handles QUEUE_CHANGE.
    func queueChanged(_ change: MediaMessage.QueueChange, by transportID: String) {
        if transportID == self.machine.transport?.id, self.connectionState == .connected { self.queueFollows { $0.changed(change) } }
    }

    /// Requests the ids; no caller waits for the result.
    private func fetchItemIDs(of mediaSessionID: Int) {
        guard let transport = self.machine.transport else { return }
        let request = MediaRequest(.queueGetItemIDs, mediaSessionID: mediaSessionID)
        self.send(CastRequest(request, to: transport, timeout: self.configuration.requestTimeout)) { result in
            self.assumeIsolated { $0.itemIDsEnded(result, of: mediaSessionID) }
        }
    }

    private func itemIDsEnded(_ result: Result<ReceivedMessage?, CastError>, of mediaSessionID: Int) {
        guard self.machine.media?.mediaSessionID == mediaSessionID else { return }
        self.queueFollows { queue in
            switch result.map({ $0?.content }) {
            case .success(.media(.queueItemIDs(let ids, let number))):
                return queue.itemIDsAnswered(ids, sequenceNumber: number, of: mediaSessionID)
            case .failure(let error) where error.isSilence: return queue.itemIDsLost()
            case .failure(let error) where !Self.isRefusal(error):
                queue.itemIDsAbandoned()
                return .init()
            case .success, .failure: return queue.itemIDsRefused()
            }
        }
    }

    /// Returns the ids of the queue in order and reads them if they are not known. If the receiver does not report them, the ids in its
    /// status.
    ///
    /// - Parameter again: whether to read known ones, too.
    func queueItemIDs(again: Bool = false) async throws(CastError) -> [Int] {
        self.followQueueForReading()
        if again { _ = self.mediaObservation.change { $0.readAgain() } }
        for _ in 0..<MediaQueueStateMachine.attemptLimit {
            guard self.hasOpenQueue, try await !self.readItemIDs() else { return self.mediaObservation.queue.itemIDs }
        }
        guard !self.hasOpenQueue else { throw Self.queueTimeout }
        return self.mediaObservation.queue.itemIDs
    }

    /// Whether the ids are neither known nor out of reach.
    private var hasOpenQueue: Bool { !self.isQueueKnown && !self.mediaObservation.queue.isUnreported }

    /// Returns the ids of the whole queue in order and requests them once if they are not known.
    ///
    /// - Throws: `unsupportedFeature` when the receiver does not report them, `timeout` when it does not answer.
    func wholeQueueItemIDs() async throws(CastError) -> [Int] {
        self.followQueueForReading()
        if self.hasOpenQueue, try await !self.readItemIDs() { throw Self.queueTimeout }
        guard self.isQueueKnown else { throw MediaQueue.unreported }
        return self.mediaObservation.queue.itemIDs
    }

    private static let queueTimeout = CastError(.timeout, detail: "the receiver does not report its queue in time")

    /// Keeps the queue up to date from now on; the caller requests the missing parts.
    private func followQueueForReading() {
        let status = self.machine.media
        if !self.mediaObservation.queue.isFollowed { self.queueFollows(isReading: true) { $0.follow(status) } }
    }

    /// Requests the ids once.
    ///
    /// - Returns: `false` when they have to be requested again: no answer came, or it belonged to another media session than the current
    ///   one.
    private func readItemIDs() async throws(CastError) -> Bool {
        let mediaSessionID = try await self.currentMediaStatus().mediaSessionID
        do throws(CastError) {
            guard case .queueItemIDs(let ids, let number) = try await self.ask(.queueGetItemIDs) else {
                throw CastError(.invalidResponse, detail: "the receiver does not report its queue")
            }
            guard self.machine.media?.mediaSessionID == mediaSessionID else { return false }
            if !self.isQueueKnown { self.queueFollows { $0.itemIDsAnswered(ids, sequenceNumber: number, of: mediaSessionID) } }
        } catch let error where error.isSilence {
            guard self.machine.media?.mediaSessionID == mediaSessionID else { return false }
            self.queueFollows(isReading: true) { $0.itemIDsLost() }
            return false
        } catch let error where Self.isRefusal(error) {
            self.queueFollows { $0.itemIDsRefused() }
        } catch {
            self.mediaObservation.change { $0.itemIDsAbandoned() }
            throw error
        }
        return true
    }

    /// Returns the items of `ids` in order, from the cache where possible; items that the receiver does not know are left out.
    func queueItems(_ ids: [Int]) async throws(CastError) -> [MediaQueueItem] {
        self.followQueue()
        var found: [Int: MediaQueueItem] = [:]
        var missing: [Int] = []
        for id in ids where found[id] == nil {
            if let item = self.mediaObservation.change({ $0.cachedItem(id) }) { found[id] = item } else { missing.append(id) }
        }
        for item in try await self.fetchQueueItems(missing) { if let id = item.itemID { found[id] = item } }
        return ids.compactMap { found[$0] }
    }

    /// Returns the items of `ids` from the receiver, read in pages.
    func fetchQueueItems(_ ids: [Int]) async throws(CastError) -> [MediaQueueItem] {
        var found: [MediaQueueItem] = []
        // A page whose answer does not fit a frame is requested in halves.
        var pages = ids.pages(of: self.mediaObservation.queuePageSize)
        while !pages.isEmpty {
            let page = pages.removeFirst()
            do throws(CastError) {
                guard case .queueItems(let items, _) = try await self.ask(.queueGetItems(itemIDs: page)) else {
                    throw CastError(.invalidResponse, detail: "the receiver does not report the items of its queue")
                }
                self.mediaObservation.change { $0.itemsReceived(items) }
                found += items
            } catch let error where error.isSilence && page.count > 1 {
                pages.insert(contentsOf: page.pages(of: (page.count + 1) / 2), at: 0)
            }
        }
        return found
    }

    /// Returns whether the receiver answered that it does not support this.
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
    /// Returns consecutive parts of at most `size` elements.
    fileprivate func pages(of size: Int) -> [[Int]] {
        stride(from: 0, to: self.count, by: Swift.max(1, size)).map { Array(self[$0..<Swift.min($0 + Swift.max(1, size), self.count)]) }
    }
}
