import BridgeCore
import CastSender

extension AnnouncementPlayer {
    /// What became of an announcement on one device.
    struct Outcome: Sendable {
        /// The fate of what played before.
        enum Media: String, Sendable { case restored, notPossible = "not_possible", nothingPlaying = "nothing_playing" }

        var result = CommandResult.done()
        /// Whether it was ended before its time, and where, in seconds.
        var isStopped = false
        var position: Double?
        /// `nil` when nothing was touched.
        var media: Media?
        /// Why it could not be given back.
        var reason: String?
        /// Whether the volume is what it was; `nil` when it was left alone.
        var volume: Bool?
    }

    /// An announcement on one device.
    struct Job {
        let announcement: Announcement
        /// What is heard: the chime, if it has one, and the announcement.
        let sounds: [MediaInformation]
        let device: DeviceAgent.Key
        let members: [Device.ID]
        /// Those who wait for it, and how many of them have not given up.
        var callers: [AsyncStream<Outcome>.Continuation] = []
        var waiting = 0
        /// Plays it; `nil` while it waits, and once it has played.
        var task: Task<Void, Never>?
        /// Where it goes on after a more urgent one, in seconds.
        var position = 0.0
        /// What became of it, once it has played; the rest of the outcome follows when all is given back.
        var outcome: Outcome?

        var media: MediaInformation { self.sounds[self.sounds.count - 1] }
        var addresses: [String] { self.sounds.map { $0.contentID ?? "" } }

        /// The devices that are heard.
        var heard: [Device.ID] { self.members.isEmpty ? [self.device.device] : self.members }

        /// The chime is not heard again where the announcement goes on.
        func request(autoplay: Bool) -> MediaLoadRequest {
            guard self.sounds.count > 1, self.position == 0 else {
                return MediaLoadRequest(media: self.media, autoplay: autoplay, startTime: self.position > 0 ? self.position : nil)
            }
            var items = self.sounds.map { MediaQueueItem(media: $0) }
            // Longer than any chime: loaded while that plays, so that no silence is between them.
            items[items.count - 1].preloadTime = 10
            return MediaLoadRequest(queueData: MediaQueueData(items: items), autoplay: autoplay)
        }
    }
}
