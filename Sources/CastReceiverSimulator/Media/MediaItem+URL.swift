/// How the simulated network treats an item; its URL determines everything.
extension MediaItem {
    /// The address of the content: `contentUrl`, else `contentId`, else `entity`.
    var url: String { self.media["contentUrl"]?.text ?? self.contentID ?? self.media["entity"]?.text ?? "" }

    /// The duration in seconds: that of the content if it was read; else the sender's, else `?duration=` of the URL, else 2 to 10 minutes
    /// derived from the URL. `nil` for live streams and images without an end.
    var duration: Double? {
        if self.isLive || self.isImage { return self.content?.seconds }
        if let content { return content.seconds ?? self.statedDuration }
        if let statedDuration { return statedDuration }
        if let named = self.query("duration"), named > 0 { return named }
        return 120 + Double(SeededRandom.hash(self.url) % 480)
    }

    /// Whether the item cannot be loaded: `/missing` in the path.
    var isMissing: Bool { self.path.contains("/missing") }
    /// The position at which playback fails: `?error_at=SECONDS`.
    var errorPosition: Double? { self.query("error_at") }
    /// The `detailedErrorCode` of the failure: `?error_code=NUMBER`.
    var errorCode: Int? { self.query("error_code").flatMap { Int(exactly: $0) } }
    /// The duration of loading: `?load_time=SECONDS`.
    var loadTime: Duration? { self.query("load_time").flatMap { (0...600).contains($0) ? .seconds($0) : nil } }

    /// The window of a live stream that allows seeking: `?live_window=SECONDS`, `?live_ends=SECONDS`.
    var liveWindow: LiveWindow? {
        guard self.isLive, let length = self.query("live_window"), length > 0 else { return nil }
        return LiveWindow(lengthSeconds: length, endsAfterSeconds: self.query("live_ends").map { max(0, $0) })
    }

    /// The video for `videoInfo`: `?video=WIDTHxHEIGHT` and `?hdr=sdr|hdr|dv`.
    var videoInformation: JSON? {
        guard let size = self.text("video")?.split(separator: "x"), size.count == 2, let width = Int(size[0]), let height = Int(size[1])
        else { return nil }
        return ["width": .integer(width), "height": .integer(height), "hdrType": .string(self.text("hdr").map(String.init) ?? "sdr")]
    }

    private var path: Substring { self.url.prefix { $0 != "?" && $0 != "#" } }

    private func query(_ name: String) -> Double? {
        self.text(name).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }

    private func text(_ name: String) -> Substring? {
        guard let mark = self.url.firstIndex(of: "?") else { return nil }
        for pair in self.url[self.url.index(after: mark)...].prefix(while: { $0 != "#" }).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0] == name { return parts[1] }
        }
        return nil
    }
}
