@_spi(JSON) import CastModels

extension MediaInformation {
    /// Reads a `media` object.
    package init(wire object: JSONView) {
        self.init()
        self.change { $0.read(object) }
    }

    /// Writes the object; unknown fields are written unchanged.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        // Receivers require `contentId` even when `contentUrl` is sufficient.
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

extension MediaInformation.Fields {
    fileprivate mutating func read(_ object: JSONView) {
        for (key, value) in object.members {
            switch key {
            case MediaKey.contentID: self.contentID = value.stringValue
            case MediaKey.contentURL: self.contentURL = value.stringValue
            case MediaKey.contentType: self.contentType = value.stringValue
            case MediaKey.streamType: self.streamType = value.stringValue.map(StreamType.init(wireValue:))
            case MediaKey.duration: self.duration = value.number.flatMap { $0 > 0 ? $0 : nil }
            case MediaKey.metadata: self.metadata = value.objectView.map(MediaMetadata.init(wire:))
            case MediaKey.tracks: self.tracks = value.objects(MediaTrack.init(wire:)) ?? []
            case MediaKey.textTrackStyle: self.textTrackStyle = value.objectView.map(TextTrackStyle.init(wire:))
            case MediaKey.breaks: self.adBreaks = value.objects(AdBreak.init(wire:)) ?? []
            case MediaKey.breakClips: self.adBreakClips = value.objects(AdBreakClip.init(wire:)) ?? []
            case MediaKey.mediaCategory: self.mediaCategory = value.stringValue.map(MediaCategory.init(wireValue:))
            case MediaKey.hlsSegmentFormat: self.hlsSegmentFormat = value.stringValue.map(HLSSegmentFormat.init(wireValue:))
            case MediaKey.hlsVideoSegmentFormat:
                self.hlsVideoSegmentFormat = value.stringValue.map(HLSVideoSegmentFormat.init(wireValue:))
            case MediaKey.vmapAdsRequest: self.vmapAdsRequest = value.objectView.map(VASTAdsRequest.init(wire:))
            case MediaKey.atvEntity: self.atvEntity = value.stringValue
            case MediaKey.entity: self.entity = value.stringValue
            case MediaKey.startAbsoluteTime: self.startAbsoluteTime = value.number
            case MediaKey.customData: self.customData = value.any
            default: self.unknownFields.append(key.string, value.value)
            }
        }
    }
}
