@_spi(JSON) import CastModels

extension MediaInformation {
    /// Reads a `media` object.
    package init(wire object: JSONView) {
        var fields = Fields()
        for (key, value) in object.members {
            switch key {
            case MediaKey.contentID: fields.contentID = value.stringValue
            case MediaKey.contentURL: fields.contentURL = value.stringValue
            case MediaKey.contentType: fields.contentType = value.stringValue
            case MediaKey.streamType: fields.streamType = value.stringValue.map(StreamType.init(wireValue:))
            case MediaKey.duration: fields.duration = value.number.flatMap { $0 > 0 ? $0 : nil }
            case MediaKey.metadata: fields.metadata = value.objectView.map(MediaMetadata.init(wire:))
            case MediaKey.tracks: fields.tracks = value.objects(MediaTrack.init(wire:)) ?? []
            case MediaKey.textTrackStyle: fields.textTrackStyle = value.objectView.map(TextTrackStyle.init(wire:))
            case MediaKey.breaks: fields.adBreaks = value.objects(AdBreak.init(wire:)) ?? []
            case MediaKey.breakClips: fields.adBreakClips = value.objects(AdBreakClip.init(wire:)) ?? []
            case MediaKey.mediaCategory: fields.mediaCategory = value.stringValue.map(MediaCategory.init(wireValue:))
            case MediaKey.hlsSegmentFormat: fields.hlsSegmentFormat = value.stringValue.map(HLSSegmentFormat.init(wireValue:))
            case MediaKey.hlsVideoSegmentFormat:
                fields.hlsVideoSegmentFormat = value.stringValue.map(HLSVideoSegmentFormat.init(wireValue:))
            case MediaKey.vmapAdsRequest: fields.vmapAdsRequest = value.objectView.map(VASTAdsRequest.init(wire:))
            case MediaKey.atvEntity: fields.atvEntity = value.stringValue
            case MediaKey.entity: fields.entity = value.stringValue
            case MediaKey.startAbsoluteTime: fields.startAbsoluteTime = value.number
            case MediaKey.customData: fields.customData = value.any
            default: fields.unknownFields.append(key.string, value.value)
            }
        }
        self.init(fields)
    }

    /// Writes the object; unknown fields go out as they came in.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        // Receivers want `contentId` even when `contentUrl` says it all.
        writer.optional(MediaKey.contentID, self.contentID ?? self.contentURL)
        writer.optional(MediaKey.contentURL, self.contentURL)
        writer.optional(MediaKey.contentType, self.contentType)
        writer.optional(MediaKey.streamType, self.streamType?.wireValue)
        writer.optional(MediaKey.mediaCategory, self.mediaCategory?.wireValue)
        writer.optional(MediaKey.hlsSegmentFormat, self.hlsSegmentFormat?.wireValue)
        writer.optional(MediaKey.hlsVideoSegmentFormat, self.hlsVideoSegmentFormat?.wireValue)
        writer.optional(MediaKey.duration, self.duration)
        if let metadata {
            writer.key(MediaKey.metadata)
            metadata.write(to: &writer)
        }
        if !self.tracks.isEmpty {
            writer.key(MediaKey.tracks)
            writer.array(self.tracks) { $1.write(to: &$0) }
        }
        if let textTrackStyle {
            writer.key(MediaKey.textTrackStyle)
            textTrackStyle.write(to: &writer)
        }
        if !self.adBreaks.isEmpty {
            writer.key(MediaKey.breaks)
            writer.array(self.adBreaks) { $1.write(to: &$0) }
        }
        if !self.adBreakClips.isEmpty {
            writer.key(MediaKey.breakClips)
            writer.array(self.adBreakClips) { $1.write(to: &$0) }
        }
        if let vmapAdsRequest {
            writer.key(MediaKey.vmapAdsRequest)
            vmapAdsRequest.write(to: &writer)
        }
        writer.optional(MediaKey.entity, self.entity)
        writer.optional(MediaKey.atvEntity, self.atvEntity)
        writer.optional(MediaKey.startAbsoluteTime, self.startAbsoluteTime)
        writer.optional(MediaKey.customData, self.customData)
        writer.members(of: self.unknownFields)
        writer.endObject()
    }
}
