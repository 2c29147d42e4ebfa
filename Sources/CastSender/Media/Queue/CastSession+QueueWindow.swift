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
        let status = self.machine.media
        self.windowFollows { window, _ in
            window.follow()
            return .init()
        }
        self.queueFollows { $0.watch(status) }
        self.updateQueueWindow()
    }

    func updateQueueWindow(isForced: Bool = false) {
        guard self.mediaObservation.queueWindow.isFollowed else { return }
        let status = self.machine.media
        self.windowFollows { $0.update(status, $1, isForced: isForced) }
    }

    private func windowFollows(
        _ change: (inout QueueWindowStateMachine, MediaQueueStateMachine) -> QueueWindowStateMachine.Outcome
    ) {
        let outcome = self.mediaObservation.change(change)
        if outcome.isChanged { self.report(.queueWindow(self.queueWindow)) }
        guard let (mediaSessionID, ids) = outcome.fetch else { return }
        guard let transport = self.machine.transport, self.isLinked else {
            return self.windowItemsEnded(.success(nil), of: mediaSessionID)
        }
        let request = MediaRequest(.queueGetItems(itemIDs: ids), mediaSessionID: mediaSessionID)
        self.send(CastRequest(request, to: transport, timeout: self.configuration.requestTimeout)) { result in
            self.assumeIsolated { if $0.isLinked { $0.windowItemsEnded(result, of: mediaSessionID) } }
        }
    }

    private func windowItemsEnded(_ result: Result<ReceivedMessage?, CastError>, of mediaSessionID: Int) {
        let content = result.map { $0?.content }
        if case .success(.media(.queueItems(let items, _))) = content { self.mediaObservation.change { $0.itemsReceived(items) } }
        let status = self.machine.media
        self.windowFollows { window, queue in
            switch content {
            case .success(.media(.queueItems)): return window.answered(status, queue, of: mediaSessionID)
            case .failure(let error) where error.isSilence: return window.lost(status, queue, of: mediaSessionID)
            case .success, .failure:
                window.refused(of: mediaSessionID)
                return .init()
            }
        }
    }
}
