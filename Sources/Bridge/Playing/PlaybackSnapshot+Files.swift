import BridgeCore
import CastSender
import MediaServer

/// What we offer to devices ends with the run, so that a snapshot for later names the files.
extension PlaybackSnapshot {
    /// Returns the snapshot with files in place of their addresses.
    nonisolated(nonsending) func referring(to server: MediaServer?) async -> Self {
        guard let server else { return self }
        return (try? await self.changed { media throws(CommandRejection) in media.referring(to: server) }) ?? self
    }

    /// Returns the snapshot with addresses in place of the files.
    nonisolated(nonsending) func resolved(with resolution: MediaResolution) async throws(CommandRejection) -> Self {
        try await self.changed { media throws(CommandRejection) in
            guard let reference = MediaReference(media), case .file = reference else { return media }
            return try await resolution.media(media, reference).first ?? media
        }
    }

    private nonisolated(nonsending) func changed(
        _ change: nonisolated(nonsending) (MediaInformation) async throws(CommandRejection) -> MediaInformation
    ) async throws(CommandRejection) -> Self {
        guard case .load(var request) = self.content else { return self }
        if let media = request.media { request.media = try await change(media) }
        for index in request.queueData?.items.indices ?? 0..<0 {
            if let media = request.queueData?.items[index].media { request.queueData?.items[index].media = try await change(media) }
        }
        var snapshot = self
        snapshot.content = .load(request)
        return snapshot
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
