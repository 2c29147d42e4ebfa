import CastMediaCheck
import CastSender

// The Swift of the media chapters of docs/LIBRARY.md, compiled: GuideTests finds each block of the guide in this file, line by line.
// Nothing calls it.

func play(on session: CastSession) async throws(CastError) {
    let client = session.remoteMediaClient
    let poster = MediaImage(url: "http://192.168.1.5/film.jpg", width: 480, height: 720)
    let media = MediaInformation(
        contentID: "http://192.168.1.5/film.mp4", contentType: "video/mp4", streamType: .buffered,
        metadata: .movie(title: "A film", studio: "A studio", releaseDate: MediaDate(year: 2024, month: 3), images: [poster]))
    var request = MediaLoadRequest(media: media, autoplay: true, startTime: 60)
    request.playbackRate = 1.25
    try await client.load(request, in: ReceiverApplication.defaultMediaReceiver)
    try await client.seek(to: .relative(-30), resumeState: .play)
    try await client.setStreamVolume(0.5)
}

func watch(_ client: RemoteMediaClient) async {
    for await element in await client.events {
        switch element {
        case .event(.playerStateChanged(_, let state)): print("the player is \(state)")
        case .event(.sessionEnded(_, let reason)): print("over: \(String(describing: reason))")
        case .event(.failed(let error)): print("playback failed: \(error)")
        case .event: break
        case .missed(let count): print("\(count) events were lost; the status is the truth")
        }
    }
}

func party(_ client: RemoteMediaClient, songs: [MediaInformation]) async throws(CastError) {
    var items = songs.map { MediaQueueItem(media: $0) }
    for index in items.indices { items[index].preloadTime = 20 }
    let queue = client.queue
    try await queue.load(items, startIndex: 0, repeatMode: .all)
    try await queue.insert([MediaQueueItem(media: MediaInformation(contentID: "http://192.168.1.5/wish.mp3"))], at: .next)
    let ids = try await queue.itemIDs
    try await queue.move(itemID: ids[ids.count - 1], to: 0)
    try await queue.jump(toItemID: ids[2], startTime: 10)
    try await queue.setShuffled(true)
    print(try await queue.item(at: 5)?.media?.metadata?.title ?? "no title")
}

func subtitles(_ client: RemoteMediaClient) async throws(CastError) {
    try await client.selectTrack(.language("de"))
    try await client.selectTrack(.name("English 5.1"), type: .audio)
    var style = TextTrackStyle()
    style.fontScale = 1.5
    style.edgeType = .outline
    style.foregroundColor = TextTrackStyle.Color(red: 255, green: 255, blue: 0)
    try await client.setTextTrackStyle(style)
    try await client.deselectTracks(of: .text)
}

func skip(_ client: RemoteMediaClient) async {
    do throws(CastError) {
        try await client.skipAd()
    } catch let error where error.code == .notAllowed {
        print("not skipped: \(error.detail)")
    } catch {
        print("failed: \(error)")
    }
}

struct LargestImagePicker: ImagePicker {
    func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage? {
        metadata.images.max { $0.width ?? 0 < $1.width ?? 0 }
    }
}

func thumbnail(of session: CastSession) async -> MediaImage? {
    var client = session.remoteMediaClient
    client.defaults.imagePicker = LargestImagePicker()
    return await client.image(ImageHints(.thumbnail, width: 64, height: 64))
}

func poster(of metadata: MediaMetadata, from cache: ImageCache) async -> [UInt8]? {
    do throws(CastError) {
        return try await cache.image(ImageHints(.expandedController), of: metadata)?.bytes
    } catch {
        print("no picture: \(error)")
        return nil
    }
}

func explain(_ client: RemoteMediaClient, media: MediaInformation, device: Device) async {
    do throws(CastError) {
        try await client.load(MediaLoadRequest(media: media))
    } catch let error where error.code == .mediaLoadFailed {
        let report = await MediaCheck().run(media, capabilities: device.capabilities)
        for finding in report.findings { print("\(finding.severity): \(finding.text) \(finding.remedy)") }
    } catch {
        print("not loaded: \(error)")
    }
}
