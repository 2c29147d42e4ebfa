import CastModels
import CastProtocol

/// Tracks and how text looks (wire: EDIT_TRACKS_INFO).
extension RemoteMediaClient {
    /// Shows these tracks and no others.
    ///
    /// - Parameter trackIDs: of the media's tracks; empty shows none.
    /// - Throws: `invalidRequest` with the argument `trackIDs` for a track that the media doesn't list.
    nonisolated(nonsending) public func setActiveTrackIDs(_ trackIDs: [Int], customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { status throws(CastError) in
            let known = status.media?.tracks ?? []
            for id in trackIDs where !known.contains(where: { $0.trackID == id }) {
                throw .invalidArgument("trackIDs", "\(id) is none of the media's tracks")
            }
            return .init(.editTracks(.init(activeTrackIDs: trackIDs)), replacing: .activeTracks)
        }
    }

    /// Shows one track instead of the others of its type.
    ///
    /// - Parameters:
    ///   - selection: by id, language or name.
    ///   - type: what kind of track.
    /// - Throws: `invalidRequest` with the argument `trackID`, `language` or `name` when no track of the type fits.
    nonisolated(nonsending) public func selectTrack(
        _ selection: TrackSelection, type: MediaTrack.Kind = .text, customData: JSONValue? = nil
    ) async throws(CastError) {
        try await self.session.control(customData: customData) { status throws(CastError) in
            guard let track = selection.track(in: status.media?.tracks ?? [], type: type) else {
                throw .invalidArgument(selection.argument, "no track of the media fits")
            }
            return .init(.editTracks(.init(activeTrackIDs: status.activeTrackIDs(replacing: type, by: track))), replacing: .activeTracks)
        }
    }

    /// Shows no track of a type any more.
    nonisolated(nonsending) public func deselectTracks(of type: MediaTrack.Kind = .text, customData: JSONValue? = nil)
        async throws(CastError)
    {
        try await self.session.control(customData: customData) { status in
            .init(.editTracks(.init(activeTrackIDs: status.activeTrackIDs(replacing: type, by: nil))), replacing: .activeTracks)
        }
    }

    /// Changes how text looks while it plays. Receivers take a style as a whole, so what `style` leaves open is taken from the one that
    /// the media has, then from the defaults.
    nonisolated(nonsending) public func setTextTrackStyle(_ style: TextTrackStyle, customData: JSONValue? = nil) async throws(CastError) {
        try style.validate("style")
        try await self.session.setTextTrackStyle(style, defaults: self.defaults.textTrackStyle ?? TextTrackStyle(), customData: customData)
    }
}

extension CastSession {
    func setTextTrackStyle(_ style: TextTrackStyle, defaults: TextTrackStyle, customData: JSONValue?) async throws(CastError) {
        @Sendable func whole(in media: MediaInformation?) -> TextTrackStyle {
            defaults.merged(with: media?.textTrackStyle ?? TextTrackStyle()).merged(with: style)
        }
        let reports = self.machine.textStyleReports
        let mediaSessionID = self.mediaStatus?.mediaSessionID
        try await self.control(customData: customData) { status in
            .init(.editTracks(.init(textTrackStyle: whole(in: status.media))), replacing: .textTrackStyle)
        }
        // Some receivers confirm a style and report none, or go on with a status that they sent before.
        guard self.machine.textStyleReports == reports, let status = self.mediaStatus, status.mediaSessionID == mediaSessionID else {
            return
        }
        self.perform(self.machine.textStyleConfirmed(whole(in: status.media)))
    }
}
