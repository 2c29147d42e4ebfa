/// Which track of a kind to show, as people say it.
public enum TrackSelection: Sendable, Hashable {
    case id(Int)
    /// RFC 5646. The same tag is best, then one that begins alike (`de` takes `de-AT`, `de-AT` takes `de`).
    case language(String)
    /// The same name is best, then one that differs in upper and lower case only.
    case name(String)

    /// The first of `tracks` that fits best; `nil` when none fits.
    public func track(in tracks: [MediaTrack], type: MediaTrack.Kind) -> MediaTrack? {
        let tracks = tracks.filter { $0.type == type }
        switch self {
        case .id(let id): return tracks.first { $0.trackID == id }
        case .name(let name):
            return tracks.first { $0.name == name } ?? tracks.first { $0.name?.lowercased() == name.lowercased() }
        case .language(let language): return Self.best(tracks, for: language)
        }
    }

    /// What to call this argument in an error.
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
    /// The tracks that are on, as far as the media lists them.
    public var activeTracks: [MediaTrack] { (self.media?.tracks ?? []).filter { self.activeTrackIDs.contains($0.trackID) } }

    /// The active track ids after the tracks of `type` were replaced by `track`; those of other types stay.
    package func activeTrackIDs(replacing type: MediaTrack.Kind, by track: MediaTrack?) -> [Int] {
        let tracks = self.media?.tracks ?? []
        let kept = self.activeTrackIDs.filter { id in tracks.first { $0.trackID == id }.map { $0.type != type } ?? true }
        return kept + (track.map { [$0.trackID] } ?? [])
    }
}
