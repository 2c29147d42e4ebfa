import BridgeCore
import CastMediaCheck
import CastSender
import MediaServer
import NIOCore
import NIOPosix
import Synchronization

/// What may wait for a disk or a program: on threads of NIO's, not on the event loop and not on Swift's pool.
enum Blocking {
    /// - Returns: `nil` while the program ends.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        try? await NIOThreadPool.singleton.runIfActive(body)
    }

    /// Runs what ends early when its caller was cancelled.
    static func run<Value: Sendable>(cancellable body: @escaping @Sendable (_ isCancelled: () -> Bool) -> Value) async -> Value? {
        let end = End()
        return await withTaskCancellationHandler {
            await self.run { body { end.isCancelled.load(ordering: .relaxed) } }
        } onCancel: {
            end.isCancelled.store(true, ordering: .relaxed)
        }
    }

    private final class End: Sendable { let isCancelled = Atomic(false) }
}

/// Turns what commands refer to into media that a device can load: files of `media.folders`, which it offers to the device.
struct MediaResolution: Sendable {
    let server: MediaServer?
    /// Looks at addresses; `nil` while the bridge fetches nothing that commands name.
    let probe: MediaProbe?
    /// Our own address on the link to the device.
    let local: SocketAddress?
    /// Until when tags are read and addresses are looked at, for everything that one command names.
    let end = ContinuousClock.now + FileTags.timeLimit

    init(_ context: BridgeContext, local: SocketAddress?) {
        (self.server, self.local) = (context.program.media, local)
        self.probe = context.settings.commands.checksLoads ? context.program.mediaProbe : nil
    }

    static let off = CommandRejection(
        .notSupported, "The media server is off.", hint: "Set media.listen and media.folders in the configuration.")

    /// Returns what a medium refers to; `nil` for one that the device loads as it is.
    func media(_ media: MediaInformation?) async throws(CommandRejection) -> [MediaInformation]? {
        guard let media, let reference = MediaReference(media) else { return nil }
        let found: [MediaInformation] =
            switch reference {
            case .file(let path): try await self.media(media, at: path)
            case .address(let url): try await self.media(media, atAddress: url)
            case .subtitles: [media]
            }
        guard found.contains(where: { $0.tracks.contains { $0.contentType == ContentType.subRip } }) else { return found }
        var converted: [MediaInformation] = []
        for media in found { converted.append(await self.converted(media)) }
        return converted
    }

    /// - Parameter opensLists: `false` for the entries of a playlist, which could name each other.
    private func media(
        _ media: MediaInformation, at path: MediaPath, opensLists: Bool = true
    ) async throws(CommandRejection) -> [MediaInformation] {
        guard let server else { throw Self.off }
        guard let base = server.address(forPeerAt: self.local) else {
            throw CommandRejection(
                .notSupported, "file: no listener of media.listen is open at an address that the device can reach.",
                hint: "Give media.listen an address of the device's network, or set media.advertise.")
        }
        let found = await Blocking.run(cancellable: { Self.found(at: path, on: server, until: self.end, $0) }) ?? nil
        guard let found else {
            let folders = server.folders.folders.map(\.name).joined(separator: ", ")
            throw CommandRejection(
                .badPayload, "file: there is no medium \"\(path.description.shortened(to: 200))\".",
                hint:
                    "Name a file or folder below \(folders.isEmpty ? "a folder of media.folders" : folders); the bridge must be able to read it."
            )
        }
        if let list = found.first?.item, found.count == 1, list.container == .m3u || list.container == .pls {
            return opensLists ? try await self.entries(ofFile: list.path, media, server) : []
        }
        return found.map { item, tags in Self.offered(item, tags, media, server, base) }
    }

    /// Returns the media of a playlist in a folder: addresses, and files beside it or below.
    private func entries(
        ofFile path: MediaPath, _ media: MediaInformation, _ server: MediaServer
    ) async throws(CommandRejection) -> [MediaInformation] {
        let bytes = await Blocking.run { server.folders.open(path)?.head(Playlist.byteLimit) ?? [] } ?? []
        var found: [MediaInformation] = []
        for entry in Playlist.read(bytes) where found.count < MediaLibrary.itemLimit && !Task.isCancelled {
            if entry.location.contains("://") {
                found +=
                    (try? await self.entries([entry], of: media) { .now < self.end ? await self.probe?.look(at: $0, like: nil) : nil })
                    ?? []
            } else {
                for place in Self.places(entry.location, beside: path) where place != path && !MediaReference.isPlaylist(place) {
                    guard let media = try? await self.media(media, at: place, opensLists: false) else { continue }
                    found += media
                    break
                }
            }
        }
        guard !found.isEmpty else { throw CommandRejection(.badPayload, "file: the playlist has no entry that a device could play.") }
        return Array(found.prefix(MediaLibrary.itemLimit))
    }

    /// Where an entry of a playlist may be: as it is written, else decoded, as some programs write addresses.
    private static func places(_ entry: String, beside list: MediaPath) -> [MediaPath] {
        let names = entry.replacing("\\", with: "/").split(separator: "/").filter { $0 != "." }
        let decoded = names.map { String(decoding: $0.percentDecodedBytes().0, as: UTF8.self) }
        return [names.map(String.init), decoded].compactMap { list.parent?.appending($0) }
    }

    private static func found(
        at path: MediaPath, on server: MediaServer, until end: ContinuousClock.Instant, _ isCancelled: () -> Bool
    ) -> [(item: LibraryItem, tags: FileTags?)]? {
        guard let items = MediaLibrary(server.folders).items(at: path) else { return nil }
        guard let program = FileTags.locateProgram() else { return items.map { ($0, nil) } }
        return items.map { item in
            let isRead = item.kind == .file && ContinuousClock.now < end && !isCancelled()
            let file = isRead ? server.folders.open(item.path) : nil
            return (item, file.flatMap { FileTags(of: $0, program: program, until: end, isCancelled: isCancelled) })
        }
    }

    /// Offers an item and what lies beside it. What the command says of the medium takes precedence.
    private static func offered(
        _ item: LibraryItem, _ tags: FileTags?, _ given: MediaInformation, _ server: MediaServer, _ base: String
    ) -> MediaInformation {
        func url(_ content: Content, _ name: String) -> String? { server.offer(content, named: name).map { base + $0.description } }
        var media = given
        media.contentID = url(.file(item.path), item.path.name)
        media.contentType = given.contentType ?? item.type
        media.duration = given.duration ?? tags?.duration
        media.metadata = given.metadata ?? Self.metadata(item, tags)
        if media.metadata?.images.isEmpty == true, let cover = item.cover, let image = url(.file(cover), cover.name) {
            media.metadata?.images = [MediaImage(url: image)]
        }
        if given.tracks.isEmpty {
            media.tracks = item.subtitles.enumerated().map { index, subtitles in
                var track = MediaTrack(trackID: index + 1, type: .text, subtype: .subtitles, name: subtitles.name)
                track.language = subtitles.language
                track.contentID = url(.subtitles(subtitles.path), MediaPath(subtitles.path.description + ".vtt")?.name ?? "subtitles.vtt")
                track.contentType = "text/vtt"
                return track
            }
        }
        return media
    }

    /// The names of the tags that ffprobe reports, by the member of the metadata.
    private static let texts = [
        ("title", "title"), ("artist", "artist"), ("albumName", "album"), ("albumArtist", "album_artist"), ("composer", "composer"),
        ("seriesTitle", "show"), ("releaseDate", "date"),
    ]
    private static let numbers = [
        ("trackNumber", "track"), ("discNumber", "disc"), ("season", "season_number"), ("episode", "episode_sort"),
    ]

    private static func metadata(_ item: LibraryItem, _ tags: FileTags?) -> MediaMetadata {
        var kind = MediaMetadata.Kind.movie
        if item.kind == .image { kind = .photo }
        if item.type.hasPrefix("audio/") { kind = .musicTrack } else if tags?.tags["show"] != nil { kind = .tvShow }
        var metadata = MediaMetadata(type: kind)
        for (member, tag) in Self.texts { if let text = tags?.tags[tag] { metadata.fields[member] = .string(text) } }
        for (member, tag) in Self.numbers {
            // "3/12": the third of twelve.
            if let number = tags?.tags[tag]?.prefix(while: \.isNumber), let value = Int64(number) {
                metadata.fields[member] = .integer(value)
            }
        }
        if metadata.fields["title"] == nil { metadata.fields["title"] = .string(item.title) }
        return metadata
    }
}
