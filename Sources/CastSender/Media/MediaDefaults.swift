import CastModels

/// What a client adds where a call doesn't say.
public struct MediaDefaults: Sendable {
    /// How text tracks look in media that are loaded without a style of their own; `nil` leaves it to the receiver. Media that list no tracks get it too,
    /// because the stream may have some; audio and pictures do not.
    public var textTrackStyle: TextTrackStyle?
    /// Chooses pictures for `RemoteMediaClient.image(_:)`.
    public var imagePicker: any ImagePicker

    public init(textTrackStyle: TextTrackStyle? = nil, imagePicker: any ImagePicker = FirstImagePicker()) {
        self.textTrackStyle = textTrackStyle
        self.imagePicker = imagePicker
    }

    /// `request` with the defaults where it says nothing.
    func completing(_ request: MediaLoadRequest) -> MediaLoadRequest {
        guard let textTrackStyle else { return request }
        var request = request
        request.media = request.media.map { self.completing($0, with: textTrackStyle) }
        request.queueData = request.queueData.map { data in
            var data = data
            data.items = self.completing(data.items)
            return data
        }
        return request
    }

    /// `items` with the defaults where they say nothing.
    func completing(_ items: [MediaQueueItem]) -> [MediaQueueItem] {
        guard let textTrackStyle else { return items }
        return items.map { item in
            var item = item
            item.media = item.media.map { self.completing($0, with: textTrackStyle) }
            return item
        }
    }

    private func completing(_ media: MediaInformation, with style: TextTrackStyle) -> MediaInformation {
        guard media.mayHaveText else { return media }
        var media = media
        media.textTrackStyle = style.merged(with: media.textTrackStyle ?? TextTrackStyle())
        return media
    }
}

extension MediaInformation {
    /// Whether text tracks are listed, or may come with the stream.
    fileprivate var mayHaveText: Bool {
        if !self.tracks.isEmpty { return self.tracks.contains { $0.type == .text } }
        let type = self.contentType?.lowercased() ?? ""
        return !type.hasPrefix("audio/") && !type.hasPrefix("image/")
    }
}
