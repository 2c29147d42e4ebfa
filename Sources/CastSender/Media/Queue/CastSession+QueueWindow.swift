import CastModels
import CastProtocol
import NIOCore

/// Keeps the items around the current one up to date without a request by the user.
extension CastSession {
    /// The queue around the current item; `nil` without media, and when the session does not follow the queue.
    public var queueWindow: MediaQueueWindow? { self.mediaObservation.queueWindow.window }

    /// Keeps `queueWindow` up to date from now on, over the connection that is used for observing. Nothing is requested for media without a
    /// queue.
    func followQueueWindow() {
        self.mediaObservation.queueWindow.follow()
        self.queueFollows(self.mediaObservation.queue.watch(self.mediaStatus))
        self.updateQueueWindow()
    }

    func updateQueueWindow(isForced: Bool = false) {
        guard self.mediaObservation.queueWindow.isFollowed else { return }
        self.windowFollows(self.mediaObservation.updateWindow(self.mediaStatus, isForced: isForced))
    }

    private func windowFollows(_ outcome: QueueWindowStateMachine.Outcome) {
        if outcome.isChanged { self.report(.queueWindow(self.queueWindow)) }
        guard let (mediaSessionID, ids) = outcome.fetch else { return }
        guard let transport = self.machine.transport, self.isConnected else {
            return self.mediaObservation.queueWindow.refused(of: mediaSessionID)
        }
        var terms = RequestTerms(CastNamespace.media, to: transport.id, timeout: self.configuration.requestTimeout)
        terms.type = MediaRequest(.queueGetItems(itemIDs: [])).type
        self.sendRequest(
            terms,
            payload: { id throws(CastError) in
                try MediaRequest(.queueGetItems(itemIDs: ids), mediaSessionID: mediaSessionID).text(requestID: id)
            },
            completion: { result in self.assumeIsolated { $0.windowItemsEnded(result, of: mediaSessionID) } })
    }

    private func windowItemsEnded(_ result: Result<ReceivedPayload.Content?, CastError>, of mediaSessionID: Int) {
        guard self.isConnected else { return }
        switch result {
        case .success(.media(.queueItems(let items, _))):
            self.mediaObservation.queue.itemsReceived(items)
            self.windowFollows(
                self.mediaObservation.queueWindow.answered(self.mediaStatus, self.mediaObservation.queue, of: mediaSessionID))
        case .failure(let error) where error.isSilence:
            self.windowFollows(self.mediaObservation.queueWindow.lost(self.mediaStatus, self.mediaObservation.queue, of: mediaSessionID))
        case .success, .failure: self.mediaObservation.queueWindow.refused(of: mediaSessionID)
        }
    }
}
