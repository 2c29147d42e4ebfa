import CastModels

extension MediaInformation {
    private enum Key {
        static let contentID = "contentId"
        static let contentURL = "contentUrl"
        static let contentType = "contentType"
        static let streamType = "streamType"
        static let duration = "duration"
        static let metadata = "metadata"
        static let tracks = "tracks"
        static let textTrackStyle = "textTrackStyle"
        static let breaks = "breaks"
        static let breakClips = "breakClips"
        static let entity = "entity"
        static let startAbsoluteTime = "startAbsoluteTime"
        static let customData = "customData"
    }

    /// Reads a `media` object.
    package init(wire object: JSONObject) {
        self.init()
        for member in object.members {
            let value = member.value
            switch member.key {
            case Key.contentID: self.contentID = value.stringValue
            case Key.contentURL: self.contentURL = value.stringValue
            case Key.contentType: self.contentType = value.stringValue
            case Key.streamType: self.streamType = value.stringValue.map(StreamType.init(wireValue:))
            case Key.duration: self.duration = object.number(Key.duration).flatMap { $0 > 0 ? $0 : nil }
            case Key.metadata: self.metadata = value.objectValue.map(MediaMetadata.init(wire:))
            case Key.tracks: self.tracks = (object.objects(Key.tracks) ?? []).compactMap(MediaTrack.init(wire:))
            case Key.textTrackStyle: self.textTrackStyle = value.objectValue.map(TextTrackStyle.init(wire:))
            case Key.breaks: self.adBreaks = (object.objects(Key.breaks) ?? []).compactMap(AdBreak.init(wire:))
            case Key.breakClips: self.adBreakClips = (object.objects(Key.breakClips) ?? []).compactMap(AdBreakClip.init(wire:))
            case Key.entity: self.entity = value.stringValue
            case Key.startAbsoluteTime: self.startAbsoluteTime = object.number(Key.startAbsoluteTime)
            case Key.customData: self.customData = object.any(Key.customData)
            default: self.unknownFields.append(member.key, value)
            }
        }
    }

    /// Writes the object; unknown fields go out as they came in.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        // Receivers want `contentId` even when `contentUrl` says it all.
        writer.optional(Key.contentID, self.contentID ?? self.contentURL)
        writer.optional(Key.contentURL, self.contentURL)
        writer.optional(Key.contentType, self.contentType)
        writer.optional(Key.streamType, self.streamType?.wireValue)
        writer.optional(Key.duration, self.duration)
        if let metadata {
            writer.key(Key.metadata)
            metadata.write(to: &writer)
        }
        if !self.tracks.isEmpty {
            writer.key(Key.tracks)
            writer.array(self.tracks) { $1.write(to: &$0) }
        }
        if let textTrackStyle {
            writer.key(Key.textTrackStyle)
            textTrackStyle.write(to: &writer)
        }
        if !self.adBreaks.isEmpty {
            writer.key(Key.breaks)
            writer.array(self.adBreaks) { $1.write(to: &$0) }
        }
        if !self.adBreakClips.isEmpty {
            writer.key(Key.breakClips)
            writer.array(self.adBreakClips) { $1.write(to: &$0) }
        }
        writer.optional(Key.entity, self.entity)
        writer.optional(Key.startAbsoluteTime, self.startAbsoluteTime)
        writer.optional(Key.customData, self.customData)
        writer.members(of: self.unknownFields)
        writer.endObject()
    }
}
