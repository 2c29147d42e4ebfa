import CastSender
import Logging

// The Swift of the articles in CastSender.docc, compiled: GuideTests finds each block here, line by line. Nothing calls it.

func play(_ url: String, on name: String) async throws {
    let context = try CastContext()
    try await withThrowingTaskGroup { group in
        group.addTask { await context.run() }
        defer { group.cancelAll() }
        for await devices in await context.discoveryManager.deviceLists {
            guard let device = devices.first(where: { $0.friendlyName == name }) else { continue }
            let session = try await context.sessionManager.start(on: device)
            let film = MediaInformation(contentID: url, contentType: "video/mp4")
            try await session.remoteMediaClient.load(MediaLoadRequest(media: film))
            return
        }
    }
}

func follow(_ manager: SessionManager) async {
    for await element in manager.events {
        guard case .event(let event) = element else { continue }
        switch event.transition {
        case .didStart, .didResume:
            if let session = await manager.session(with: event.device) { print("connected:", session) }
        case .didSuspend(let reason): print("suspended: \(reason)")
        case .didFailToStart(let error), .didFailToResume(let error): print("failed: \(error)")
        case .didEnd: print("ended")
        default: break
        }
    }
}

func control(_ session: CastSession) async throws(CastError) {
    let client = session.remoteMediaClient
    let film = MediaInformation(
        contentID: "http://192.168.1.5/film.mp4", contentType: "video/mp4", metadata: .movie(title: "A film"))
    try await client.load(MediaLoadRequest(media: film, startTime: 60))
    try await client.setPlaybackRate(1.5)
    try await client.seek(to: .relative(-30))
    for await status in await client.mediaStatuses {
        guard let status else { continue }
        print(status.playerState, status.approximateStreamPosition(at: client.now) ?? 0)
    }
}

func playAlbum(_ songs: [MediaInformation], on session: CastSession) async throws(CastError) {
    let queue = session.remoteMediaClient.queue
    try await queue.load(songs.map { MediaQueueItem(media: $0) }, repeatMode: .all)
    try await queue.next()
    let ids = try await queue.itemIDs
    try await queue.move(itemID: ids[ids.count - 1], to: 0)
    try await queue.setShuffled(true)
}

func subtitles(in language: String, on session: CastSession) async throws(CastError) {
    let client = session.remoteMediaClient
    let german = MediaTrack(
        trackID: 1, type: .text, subtype: .subtitles, name: "Deutsch", language: "de",
        contentID: "http://192.168.1.5/film.de.vtt", contentType: "text/vtt")
    let film = MediaInformation(contentID: "http://192.168.1.5/film.mp4", contentType: "video/mp4", tracks: [german])
    try await client.load(MediaLoadRequest(media: film))
    try await client.selectTrack(.language(language))
    var style = TextTrackStyle.standard
    style.fontScale = 1.5
    try await client.setTextTrackStyle(style)
}

func greet(_ session: CastSession) async throws(CastError) {
    let channel = try await session.openChannel("urn:x-cast:com.example.game")
    try await channel.send(#"{"type":"JOIN"}"#)
    for await case .event(.text(let text)) in channel.events {
        print("the application sends", text)
    }
}

func verboseContext() throws -> CastContext {
    let filters = ["CastSender.*=debug", "DiscoveryManager=error"].compactMap { LogFilter($0) }
    let log = CastLog(LogFilters(level: .warning, filters: filters))
    return try CastContext { label in
        log.logger(label) { StreamLogHandler.standardError(label: $0) }
    }
}
