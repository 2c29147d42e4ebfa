@_spi(JSON) import CastModels

extension MediaInformation: WireObject {
    package init(wire object: JSONView) {
        self.init()
        self.change { $0.read(object) }
    }

    /// Writes the members; unknown fields are written unchanged.
    func write(to writer: inout JSONWriter) {
        // Receivers require `contentId` even when `contentUrl` is sufficient.
        writer.optional(MediaKey.contentID, self.contentID ?? self.contentURL)
        writer.optional(MediaKey.contentURL, self.contentURL)
        writer.optional(MediaKey.contentType, self.contentType)
        writer.optional(MediaKey.streamType, self.streamType?.wireValue)
        writer.optional(MediaKey.mediaCategory, self.mediaCategory?.wireValue)
        writer.optional(MediaKey.hlsSegmentFormat, self.hlsSegmentFormat?.wireValue)
        writer.optional(MediaKey.hlsVideoSegmentFormat, self.hlsVideoSegmentFormat?.wireValue)
        writer.optional(MediaKey.duration, self.duration)
        writer.optional(MediaKey.metadata, self.metadata)
        writer.list(MediaKey.tracks, self.tracks)
        writer.optional(MediaKey.textTrackStyle, self.textTrackStyle)
        writer.list(MediaKey.breaks, self.adBreaks)
        writer.list(MediaKey.breakClips, self.adBreakClips)
        writer.optional(MediaKey.vmapAdsRequest, self.vmapAdsRequest)
        writer.optional(MediaKey.entity, self.entity)
        writer.optional(MediaKey.atvEntity, self.atvEntity)
        writer.optional(MediaKey.startAbsoluteTime, self.startAbsoluteTime)
        writer.optional(MediaKey.customData, self.customData)
        writer.members(of: self.unknownFields)
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
