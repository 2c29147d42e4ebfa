import CastModels

/// A medium that the bridge has to find or look at before a device can load it.
public enum MediaReference: Sendable, Hashable {
    /// A file or folder of `media.folders`.
    case file(MediaPath)
    /// A web address of a playlist, or of unknown type.
    case address(String)
    /// A medium with subtitles that have to be converted.
    case subtitles

    private static let scheme = "cast2mqtt-file:"

    /// - Returns: `nil` for a medium that the device loads as it is.
    public init?(_ media: MediaInformation?) {
        guard let media else { return nil }
        if let id = media.contentID, id.hasPrefix(Self.scheme), let path = MediaPath(id.dropFirst(Self.scheme.count)) {
            self = .file(path)
        } else if media.contentURL == nil, media.entity == nil, let url = media.contentID, url.isWebAddress,
            media.contentType == nil || media.contentType == ContentType.guess(url: url) && ContentType.isPlaylist(url)
        {
            self = .address(url)
        } else if media.tracks.contains(where: { $0.contentType == ContentType.subRip && $0.contentID != nil }) {
            self = .subtitles
        } else {
            return nil
        }
    }

    /// Whether the name of a file is that of a playlist.
    public static func isPlaylist(_ path: MediaPath) -> Bool { ContentType.isPlaylist(path.name) }

    /// The content id by which a medium refers to a file until it is resolved.
    public static func contentID(of path: MediaPath) -> String { self.scheme + path.description }
}

extension DeviceCommand {
    /// Returns the command with what `resolve` returns in place of its media: one medium, or several, which make a queue of it.
    /// - Parameter resolve: returns `nil` for a medium that stays as it is.
    public nonisolated(nonsending) func resolved(
        _ resolve: nonisolated(nonsending) (MediaInformation?) async throws(CommandRejection) -> [MediaInformation]?
    ) async throws(CommandRejection) -> DeviceCommand {
        switch self {
        case .load(var load):
            guard let found = try await resolve(load.request.media) else { return self }
            guard found.count != 1 else {
                load.request.media = found[0]
                return .load(load)
            }
            var queue = QueueLoad(items: found.map { MediaQueueItem(media: $0) }, applicationID: load.applicationID)
            queue.items[0].autoplay = load.request.autoplay
            (queue.position, queue.launchOptions) = (load.request.startTime, load.launchOptions)
            queue.customData = load.request.customData
            return .queue(.load(queue))
        case .queue(.load(var load)):
            (load.items, load.startIndex) = try await Self.items(load.items, at: load.startIndex, resolve)
            return .queue(.load(load))
        case .queue(.insert(var insertion)):
            let start: Int
            (insertion.items, start) = try await Self.items(insertion.items, at: insertion.playing ?? 0, resolve)
            if insertion.playing != nil { insertion.playing = start }
            return .queue(.insert(insertion))
        case .queue(.update(var items)):
            for index in items.indices {
                if let found = try await resolve(items[index].media) { items[index].media = found.first }
            }
            return .queue(.update(items))
        default: return self
        }
    }

    /// Returns the items with what they refer to, and the new index of the item at `start`.
    private static nonisolated(nonsending) func items(
        _ items: [MediaQueueItem], at start: Int,
        _ resolve: nonisolated(nonsending) (MediaInformation?) async throws(CommandRejection) -> [MediaInformation]?
    ) async throws(CommandRejection) -> ([MediaQueueItem], Int) {
        var (all, begin): ([MediaQueueItem], Int) = ([], 0)
        for (index, item) in items.enumerated() {
            if index == start { begin = all.count }
            let found: [MediaInformation?] = try await resolve(item.media) ?? [item.media]
            all += found.map { media in
                var item = item
                item.media = media
                return item
            }
        }
        return (all, begin)
    }
}
