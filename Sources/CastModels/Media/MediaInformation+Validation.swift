extension MediaInformation {
    /// The longest `contentID` that every receiver accepts, in characters.
    public static let maximumContentIDLength = 1000

    /// Checks for values that no receiver can accept.
    ///
    /// - Parameters:
    ///   - path: the path of this medium in an error.
    ///   - activeTrackIDs: the tracks to show, which must be among `tracks` when the medium lists any.
    ///   - name: the path of these ids in an error.
    /// - Throws: `invalidRequest` with the path of the field as its argument.
    package func validate(_ path: String, activeTrackIDs: [Int]?, named name: String) throws(CastError) {
        guard [self.contentID, self.contentURL, self.entity].contains(where: { !($0 ?? "").isEmpty }) else {
            throw .invalidArgument("\(path).contentID", "media need an id, a URL or an entity")
        }
        if let contentID, contentID != self.contentURL, !contentID.contains("://"), contentID.count > Self.maximumContentIDLength {
            throw .invalidArgument("\(path).contentID", "longer than \(Self.maximumContentIDLength) characters")
        }
        try CastError.checkSeconds(self.duration, "\(path).duration")
        try CastError.checkOffset(self.startAbsoluteTime, "\(path).startAbsoluteTime")
        try self.metadata?.validate("\(path).metadata")
        try self.textTrackStyle?.validate("\(path).textTrackStyle")
        try self.validateTracks(path, activeTrackIDs: activeTrackIDs, named: name)
        try self.validateAds(path)
    }

    private func validateTracks(_ path: String, activeTrackIDs: [Int]?, named name: String) throws(CastError) {
        var ids: Set<Int> = []
        for (index, track) in self.tracks.enumerated() {
            try track.validate("\(path).tracks[\(index)]")
            guard ids.insert(track.trackID).inserted else {
                throw .invalidArgument("\(path).tracks[\(index)].trackID", "\(track.trackID) is used twice")
            }
        }
        // The caller may know tracks inside the stream that are not listed, but they cannot be mixed with listed ones.
        guard let activeTrackIDs, !self.tracks.isEmpty else { return }
        for id in activeTrackIDs where !ids.contains(id) { throw .invalidArgument(name, "\(id) is not one of the media's tracks") }
    }

    private func validateAds(_ path: String) throws(CastError) {
        let clipIDs = Set(self.adBreakClips.map(\.id))
        for (index, adBreak) in self.adBreaks.enumerated() {
            let name = "\(path).adBreaks[\(index)]"
            try CastError.checkOffset(adBreak.position, "\(name).position")
            try CastError.checkSeconds(adBreak.duration, "\(name).duration")
            for id in adBreak.clipIDs where !clipIDs.contains(id) {
                throw .invalidArgument("\(name).clipIDs", "\(id) is not one of the media's clips")
            }
        }
        for (index, clip) in self.adBreakClips.enumerated() {
            let name = "\(path).adBreakClips[\(index)]"
            try CastError.checkSeconds(clip.duration, "\(name).duration")
            try CastError.checkSeconds(clip.whenSkippable, "\(name).whenSkippable")
        }
    }
}
