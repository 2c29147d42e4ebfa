import BridgeCore
import CastMediaCheck
import CastSender
import MediaServer

/// Playlists, streams whose type only their answer says, and subtitles of the network.
extension MediaResolution {
    private static let unknown = CommandRejection(.badPayload, "load: the type of this URL can't be found; give content_type.")
    /// The entries of unknown type that are looked at.
    private static let lookLimit = 4

    /// Returns what an address leads to: itself with its type, or the entries of a playlist.
    func media(_ media: MediaInformation, atAddress url: String) async throws(CommandRejection) -> [MediaInformation] {
        let guess = ContentType.guess(url: url)
        guard let answer = await self.probe?.look(at: url, like: guess) else { return [try Self.typed(media, guess)] }
        guard !answer.entries.isEmpty else { return [try Self.typed(media, answer.type ?? guess, isLive: answer.isLive)] }
        return try await self.entries(answer.entries, of: media) { await self.probe?.look(at: $0, like: nil, in: answer.scopes) }
    }

    /// Returns the media of a playlist's entries.
    func entries(
        _ entries: [Playlist.Entry], of media: MediaInformation, look: (String) async -> MediaProbe.Answer?
    ) async throws(CommandRejection) -> [MediaInformation] {
        var (found, looks, last): ([MediaInformation], Int, MediaProbe.Answer?) = ([], 0, nil)
        // One level: a playlist in a playlist is left out. An entry that is called .m3u8 is mostly HLS.
        for entry in entries where !ContentType.isList(entry.location) {
            var item = media
            (item.contentID, item.contentType) = (entry.location, ContentType.guess(url: entry.location))
            if entries.count > 1 || media.metadata == nil, let title = entry.title {
                item.metadata = media.metadata.adding("title", title)
            }
            if item.contentType == nil, looks < Self.lookLimit {
                looks += 1
                last = await look(entry.location) ?? last
            }
            guard let typed = try? Self.typed(item, item.contentType ?? last?.type, isLive: item.contentType == nil && last?.isLive == true)
            else { continue }
            found.append(typed)
        }
        guard !found.isEmpty else { throw CommandRejection(.badPayload, "load: the playlist has no entry that a device could play.") }
        return found
    }

    private static func typed(_ media: MediaInformation, _ type: String?, isLive: Bool = false) throws(CommandRejection) -> MediaInformation
    {
        guard let type else { throw self.unknown }
        var media = media
        media.contentType = type
        if isLive, media.streamType == .buffered { media.streamType = .live }
        return media
    }

    /// Returns the medium with SubRip tracks of the network as WebVTT; a track that can't be fetched stays as it is.
    func converted(_ media: MediaInformation) async -> MediaInformation {
        guard let server, let probe, let base = server.address(forPeerAt: self.local) else { return media }
        var media = media
        for (index, track) in media.tracks.enumerated() where track.contentType == ContentType.subRip {
            guard let url = track.contentID, let bytes = await probe.read(url, byteLimit: SubtitleText.byteLimit) else { continue }
            let content = Content.bytes(SubtitleText.webVTT(bytes), type: "text/vtt")
            guard let path = server.offer(content, named: "subtitles.vtt") else { continue }
            (media.tracks[index].contentID, media.tracks[index].contentType) = (base + path.description, "text/vtt")
        }
        return media
    }
}
