import CastModels

/// The values that a client uses where a call leaves them out.
public struct MediaDefaults: Sendable {
    /// The text track style of media that are loaded without a style; `nil` leaves it to the receiver. It also applies to media that list
    /// no tracks, because the stream may have text; it does not apply to audio and pictures.
    public var textTrackStyle: TextTrackStyle?
    /// Selects pictures for `RemoteMediaClient.image(_:)`.
    public var imagePicker: any ImagePicker

    public init(textTrackStyle: TextTrackStyle? = nil, imagePicker: any ImagePicker = FirstImagePicker()) {
        self.textTrackStyle = textTrackStyle
        self.imagePicker = imagePicker
    }

    /// Returns `request` with missing values taken from the defaults.
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

    /// Returns `items` with missing values taken from the defaults.
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
    /// Whether the media lists text tracks, or its stream may have some.
    fileprivate var mayHaveText: Bool {
        if !self.tracks.isEmpty { return self.tracks.contains { $0.type == .text } }
        let type = self.contentType?.lowercased() ?? ""
        return !type.hasPrefix("audio/") && !type.hasPrefix("image/")
    }
}
