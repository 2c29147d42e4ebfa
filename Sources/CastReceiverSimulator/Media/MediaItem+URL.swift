/// How the simulated network treats an item; all of it follows from its URL.
extension MediaItem {
    /// What is played: `contentUrl`, else `contentId`, else `entity`.
    var url: String { self.media["contentUrl"]?.text ?? self.contentID ?? self.media["entity"]?.text ?? "" }

    /// Seconds: what its content says when that was read; else what the sender stated, else `?duration=` of the URL, else a length of 2 to 10 minutes that follows from the URL.
    /// `nil` for live streams and images that go on.
    var duration: Double? {
        if self.isLive || self.isImage { return self.content?.seconds }
        if let content { return content.seconds ?? self.statedDuration }
        if let statedDuration { return statedDuration }
        if let named = self.query("duration"), named > 0 { return named }
        return 120 + Double(SeededRandom.hash(self.url) % 480)
    }

    /// `/missing` in the path: it cannot be loaded.
    var isMissing: Bool { self.path.contains("/missing") }
    /// `?error_at=SECONDS`: playback breaks at that position.
    var errorPosition: Double? { self.query("error_at") }
    /// `?error_code=NUMBER`: the `detailedErrorCode` of its failure.
    var errorCode: Int? { self.query("error_code").flatMap { Int(exactly: $0) } }
    /// `?load_time=SECONDS`: how long loading takes.
    var loadTime: Duration? { self.query("load_time").flatMap { (0...600).contains($0) ? .seconds($0) : nil } }

    /// `?live_window=SECONDS`, `?live_ends=SECONDS`: a live stream that can be positioned within its last seconds.
    var liveWindow: LiveWindow? {
        guard self.isLive, let length = self.query("live_window"), length > 0 else { return nil }
        return LiveWindow(lengthSeconds: length, endsAfterSeconds: self.query("live_ends").map { max(0, $0) })
    }

    /// `?video=WIDTHxHEIGHT` and `?hdr=sdr|hdr|dv`: the picture as `videoInfo` tells it.
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
