/// Texts for logs and the debugger: no address of media, since addresses may contain secrets.
extension MediaInformation: CustomStringConvertible {
    /// Such as `"Big Buck Bunny" (video/mp4, 9:56)`.
    public var description: String {
        let length = self.isLive ? "live" : self.duration.map { PlaybackTime.text($0) }
        let facts = [self.contentType, length].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: ", ")
        return (self.metadata?.title.map { "\"\($0)\"" } ?? "untitled") + (facts.isEmpty ? "" : " (\(facts))")
    }
}

extension MediaStatus: CustomStringConvertible {
    /// Such as `playing at 0:12: "Big Buck Bunny" (video/mp4, 9:56)`.
    public var description: String {
        let position = self.currentTime.map { " at \(PlaybackTime.text($0))" } ?? ""
        let reason = self.idleReason.map { " (\($0))" } ?? ""
        return "\(self.extendedPlayerState)\(self.isEnded ? reason : position): \(self.shownMedia.map { "\($0)" } ?? "no media")"
    }
}
