/// A behaviour of some real receivers. None of them is an error that a sender may reject.
public enum Habit: String, Sendable, Hashable, CaseIterable {
    /// A launch is answered by `LAUNCH_STATUS` alone; only a broadcast shows its success.
    case launchStatusOnly = "launch-status-only"
    /// A launch is answered by `LAUNCH_STATUS` and by `RECEIVER_STATUS`, each of them twice.
    case launchAnswersDoubled = "launch-answers-doubled"
    /// The answers to a launch come three seconds after the broadcast that shows the application.
    case launchAnswersLate = "launch-answers-late"
    /// A successful `STOP` has no answer of its own, only the broadcast.
    case silentStop = "silent-stop"
    /// The answer to `SET_VOLUME` still contains the previous volume; the broadcast after it is correct.
    case formerVolumeInAnswer = "former-volume-in-answer"
    /// Media status also lists the session that the current one replaced.
    case formerSession = "former-session"
    /// Media status has its members at the top level instead of in a list.
    case flatMediaStatus = "flat-media-status"
    /// Each item of a queue is a separate media session.
    case sessionPerItem = "session-per-item"
    /// An item that is being loaded has the player state LOADING instead of IDLE.
    case loadingState = "loading-state"
    /// Media status contains `"duration": null` and the stream type in lower case.
    case looseMedia = "loose-media"
    /// Media status always has `queueData` with `shuffle`, instead of only while the queue is shuffled.
    case queueDataAlways = "queue-data-always"
    /// `queueData` never has `shuffle`.
    case queueDataWithoutShuffle = "queue-data-without-shuffle"
    /// A launch and a load are answered as successful, and change nothing.
    case acknowledgedOnly = "acknowledged-only"
    /// A launch starts the default media receiver instead of the requested application.
    case otherApplication = "other-application"
    /// Media status has an empty list, also during playback.
    case emptyStatus = "empty-status"
    /// The outcome of a media request is only broadcast, without a `requestId`.
    case outcomeBroadcast = "outcome-broadcast"
    /// QUEUE_GET_ITEM_IDS is answered with an empty list.
    case emptyQueueIDs = "empty-queue-ids"
    /// An edited queue is reported by the items of the media status, never by QUEUE_CHANGE.
    case noQueueChange = "no-queue-change"
    /// An ad is reported by a player state of the application's `customData`, never by `breakStatus`.
    case adWithoutBreak = "ad-without-break"
    /// While a group plays, its members show the placeholder applications of leader and follower.
    case groupPlaceholders = "group-placeholders"
    /// `PING` comes from and to an address of the transport, as of old firmware, and nothing but `PONG` answers it.
    case transportHeartbeat = "transport-heartbeat"
}

extension SimulatedReceiver {
    func has(_ habit: Habit) -> Bool { self.settings.habits.contains(habit) }

    /// Returns an element of a media status in the form of this receiver.
    func habitual(_ status: JSON) -> JSON {
        var status = status
        if self.has(.loadingState), status["extendedStatus"] != nil { status["playerState"] = "LOADING" }
        if self.has(.looseMedia), let type = status["media"]?["streamType"]?.text {
            status["media"]?["streamType"] = .string(type.lowercased())
            status["media"]?["duration"] = .null
        }
        if self.has(.queueDataAlways), status["queueData"] == nil, let mode = status["repeatMode"] {
            status["queueData"] = ["repeatMode": mode, "shuffle": false]
        }
        if self.has(.adWithoutBreak), status["breakStatus"] != nil {
            status["breakStatus"] = nil
            status["customData"] = ["playerState": 1081]
        } else if self.has(.adWithoutBreak) {
            status["customData"] = ["playerState": 1]
        }
        if self.has(.queueDataWithoutShuffle) { status["queueData"]?["shuffle"] = nil }
        if self.isSabotaged(.wrongSessionID), let id = status["mediaSessionId"]?.int { status["mediaSessionId"] = .integer(id + 1_000) }
        return status
    }
}
