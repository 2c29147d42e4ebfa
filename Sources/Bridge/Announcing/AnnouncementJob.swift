import BridgeCore
import CastSender

extension AnnouncementPlayer {
    /// What became of an announcement on one device.
    struct Outcome: Sendable {
        /// The fate of what played before.
        enum Media: String, Sendable { case restored, notPossible = "not_possible", nothingPlaying = "nothing_playing" }

        var result = CommandResult.done()
        /// Whether it was ended before its time.
        var isStopped = false
        var media = Media.nothingPlaying
        /// Why it could not be given back.
        var reason: String?
        /// Whether the volume is what it was; `nil` when it was left alone.
        var volume: Bool?
    }

    /// An announcement on one device.
    final class Job {
        typealias Caller = AsyncStream<Outcome>.Continuation

        let id: AnnouncementQueue.ID
        let announcement: Announcement
        /// What is heard: the chime, if it has one, and the announcement.
        let sounds: [MediaInformation]
        let device: DeviceAgent.Key
        let members: [Device.ID]
        /// Those who wait for it, and how many of them have not given up.
        private(set) var (callers, waiting): ([Caller], Int) = ([], 0)
        private(set) var task: Task<Void, Never>?
        /// Where it goes on after a more urgent one, in seconds.
        private(set) var position = 0.0
        private var isInterrupted = false
        /// What became of it, once it has played; the rest of the outcome follows when all is given back.
        private(set) var outcome: Outcome?

        init(
            _ id: AnnouncementQueue.ID, _ announcement: Announcement, _ sounds: [MediaInformation], on device: DeviceAgent.Key,
            _ members: [Device.ID]
        ) {
            (self.id, self.announcement, self.sounds, self.device, self.members) = (id, announcement, sounds, device, members)
        }

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

        func add(_ caller: Caller) { (self.callers, self.waiting) = (self.callers + [caller], self.waiting + 1) }

        /// One of those who wait has given up.
        func leave() { self.waiting -= 1 }

        func began(_ task: Task<Void, Never>) { (self.task, self.isInterrupted) = (task, false) }

        /// A more urgent one begins.
        func interrupt() {
            self.isInterrupted = true
            self.task?.cancel()
        }

        func stopped(at position: Double?) { self.position = position ?? self.position }

        /// - Returns: whether it is over; otherwise it goes on after a more urgent one.
        func played(_ outcome: Outcome) -> Bool {
            self.task = nil
            if self.isInterrupted, outcome.isStopped, self.waiting > 0 { return false }
            self.outcome = outcome
            return true
        }

        /// Notes whether the volume of one of its devices is what it was; one that is not decides.
        func note(volumeIsBack isBack: Bool) { if !isBack || self.outcome?.volume == nil { self.outcome?.volume = isBack } }

        func answer(_ outcome: Outcome) {
            for caller in self.callers {
                caller.yield(outcome)
                caller.finish()
            }
        }
    }
}
