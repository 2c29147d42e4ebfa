/// A track of a kind, selected by a user's terms.
public enum TrackSelection: Sendable, Hashable {
    case id(Int)
    /// A language (RFC 5646). The same tag is preferred, then a tag with the same beginning (`de` selects `de-AT`, and `de-AT` selects
    /// `de`).
    case language(String)
    /// A name. The same name is preferred, then a name that differs only in case.
    case name(String)

    /// Returns the first of the best matches among `tracks`; `nil` when no track matches.
    public func track(in tracks: [MediaTrack], type: MediaTrack.Kind) -> MediaTrack? {
        let tracks = tracks.filter { $0.type == type }
        switch self {
        case .id(let id): return tracks.first { $0.trackID == id }
        case .name(let name):
            return tracks.first { $0.name == name } ?? tracks.first { $0.name?.lowercased() == name.lowercased() }
        case .language(let language): return Self.best(tracks, for: language)
        }
    }

    /// The name of this argument in an error.
    package var argument: String {
        switch self {
        case .id: "trackID"
        case .language: "language"
        case .name: "name"
        }
    }

    private static func best(_ tracks: [MediaTrack], for language: String) -> MediaTrack? {
        let wanted = Self.subtags(language)
        guard !wanted.isEmpty else { return nil }
        var best: (track: MediaTrack, common: Int)?
        for track in tracks {
            let offered = Self.subtags(track.language ?? "")
            if wanted == offered { return track }
            let common = min(wanted.count, offered.count)
            guard common > 0, wanted.prefix(common) == offered.prefix(common), common > best?.common ?? 0 else { continue }
            best = (track, common)
        }
        return best?.track
    }

    private static func subtags(_ language: String) -> [String] {
        language.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init)
    }
}

extension MediaStatus {
    /// The active tracks that the media lists.
    public var activeTracks: [MediaTrack] { (self.media?.tracks ?? []).filter { self.activeTrackIDs.contains($0.trackID) } }

    /// Returns the active track ids after replacing the tracks of `type` by `track`. Tracks of other types stay active.
    package func activeTrackIDs(replacing type: MediaTrack.Kind, by track: MediaTrack?) -> [Int] {
        let tracks = self.media?.tracks ?? []
        let kept = self.activeTrackIDs.filter { id in tracks.first { $0.trackID == id }.map { $0.type != type } ?? true }
        return kept + (track.map { [$0.trackID] } ?? [])
    }
}
