import CastModels
import CastProtocol

/// Selects tracks and sets the text style (wire: EDIT_TRACKS_INFO).
extension RemoteMediaClient {
    /// Activates exactly these tracks.
    ///
    /// - Parameters:
    ///   - trackIDs: ids of the media's tracks; an empty list deactivates all.
    ///   - customData: data for the application.
    /// - Throws: `invalidRequest` with the argument `trackIDs` for a track that the media does not list.
    nonisolated(nonsending) public func setActiveTrackIDs(_ trackIDs: [Int], customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { status throws(CastError) in
            let known = status.media?.tracks ?? []
            for id in trackIDs where !known.contains(where: { $0.trackID == id }) {
                throw .invalidArgument("trackIDs", "\(id) is not one of the media's tracks")
            }
            return [.activating(trackIDs, in: status)]
        }
    }

    /// Activates one track in place of the others of its type.
    ///
    /// - Parameters:
    ///   - selection: the track by id, language or name.
    ///   - type: the type of track.
    ///   - customData: data for the application.
    /// - Throws: `invalidRequest` with the argument `trackID`, `language` or `name` when no track of the type matches.
    nonisolated(nonsending) public func selectTrack(
        _ selection: TrackSelection, type: MediaTrack.Kind = .text, customData: JSONValue? = nil
    ) async throws(CastError) {
        try await self.session.control(customData: customData) { status throws(CastError) in
            guard let track = selection.track(in: status.media?.tracks ?? [], type: type) else {
                throw .invalidArgument(selection.argument, "no track of the media fits")
            }
            return [.activating(status.activeTrackIDs(replacing: type, by: track), in: status)]
        }
    }

    /// Deactivates all tracks of a type.
    nonisolated(nonsending) public func deselectTracks(of type: MediaTrack.Kind = .text, customData: JSONValue? = nil)
        async throws(CastError)
    {
        try await self.session.control(customData: customData) { status in
            [.activating(status.activeTrackIDs(replacing: type, by: nil), in: status)]
        }
    }

    /// Changes the text style during playback. Receivers replace the style as a whole, so properties that `style` leaves out are taken from
    /// the style of the media, then from the defaults.
    nonisolated(nonsending) public func setTextTrackStyle(_ style: TextTrackStyle, customData: JSONValue? = nil) async throws(CastError) {
        try style.validate("style")
        try await self.session.setTextTrackStyle(style, defaults: self.defaults.textTrackStyle ?? TextTrackStyle(), customData: customData)
    }
}

extension MediaCommand {
    /// The state that it asks for has the tracks that change: receivers may list others, such as the only audio track.
    fileprivate static func activating(_ trackIDs: [Int], in status: MediaStatus) -> Self {
        let (wanted, former) = (Set(trackIDs), Set(status.activeTrackIDs))
        return Self(
            .editTracks(.init(activeTrackIDs: trackIDs)),
            observed: .tracks(active: wanted.subtracting(former), inactive: former.subtracting(wanted)), replacing: .activeTracks)
    }
}

extension CastSession {
    func setTextTrackStyle(_ style: TextTrackStyle, defaults: TextTrackStyle, customData: JSONValue?) async throws(CastError) {
        @Sendable func whole(in media: MediaInformation?) -> TextTrackStyle {
            defaults.merged(with: media?.textTrackStyle ?? TextTrackStyle()).merged(with: style)
        }
        let reports = self.machine.textStyleReports
        let mediaSessionID = self.machine.media?.mediaSessionID
        try await self.control(customData: customData) { status in
            let whole = whole(in: status.media)
            return [.init(.editTracks(.init(textTrackStyle: whole)), observed: .textStyle(whole), replacing: .textTrackStyle)]
        }
        // Some receivers confirm a style without reporting one, or keep reporting the previous one.
        guard self.machine.textStyleReports == reports, let status = self.machine.media, status.mediaSessionID == mediaSessionID else {
            return
        }
        self.input { machine, _ in machine.textStyleConfirmed(whole(in: status.media)) }
    }
}
