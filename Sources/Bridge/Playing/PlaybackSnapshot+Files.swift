import BridgeCore
import CastSender
import MediaServer

/// What we offer to devices ends with the run, so that a snapshot for later names the files.
extension PlaybackSnapshot {
    /// Returns the snapshot with files in place of their addresses.
    func referring(to server: MediaServer?) -> Self {
        guard let server else { return self }
        var snapshot = self
        snapshot.media = self.media.map { $0.referring(to: server) }
        return snapshot
    }

    /// Plays it again, with addresses in place of the files.
    /// - Parameter onFound: called once all files are found.
    nonisolated(nonsending) func restore(
        over session: CastSession, _ context: BridgeContext, onFound: nonisolated(nonsending) () async -> Void = {}
    ) async -> CommandResult {
        let resolution = MediaResolution(context, local: await session.localAddress)
        var (snapshot, media) = (self, self.media)
        do throws(CommandRejection) {
            for (index, one) in media.enumerated() {
                guard case .file = MediaReference(one) else { continue }
                media[index] = try await resolution.media(one)?.first ?? one
            }
        } catch { return CommandResult(error) }
        snapshot.media = media
        await onFound()
        do throws(CastError) { try await session.restore(snapshot) } catch { return CommandResult(error) }
        return .done()
    }

    /// The medium of its load, and those of its queue.
    private var media: [MediaInformation] {
        get {
            guard case .load(let request) = self.content else { return [] }
            return ([request.media] + (request.queueData?.items ?? []).map(\.media)).compactMap { $0 }
        }
        set {
            guard case .load(var request) = self.content else { return }
            var rest = newValue[...]
            if request.media != nil { request.media = rest.popFirst() }
            for index in request.queueData?.items.indices ?? 0..<0 where request.queueData?.items[index].media != nil {
                request.queueData?.items[index].media = rest.popFirst()
            }
            self.content = .load(request)
        }
    }
}

extension MediaInformation {
    /// Returns the medium with a reference to its file; its subtitles and picture are found again beside it.
    fileprivate func referring(to server: MediaServer) -> Self {
        guard let address = self.contentID, case .file(let path) = server.content(at: address) else { return self }
        var media = self
        media.contentID = MediaReference.contentID(of: path)
        media.tracks.removeAll { $0.contentID.map { server.content(at: $0) != nil } ?? false }
        media.metadata?.images.removeAll { server.content(at: $0.url) != nil }
        return media
    }
}
