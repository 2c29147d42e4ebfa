/// Something that some real receivers do and others do not; none of it is an error of theirs that a sender may complain about.
public enum Habit: String, Sendable, Hashable, CaseIterable {
    /// A launch is answered by `LAUNCH_STATUS` alone; that it has succeeded shows in a broadcast only.
    case launchStatusOnly = "launch-status-only"
    /// A launch is answered by `LAUNCH_STATUS` and by `RECEIVER_STATUS`, each of them twice.
    case launchAnswersDoubled = "launch-answers-doubled"
    /// The answers to a launch come three seconds after the broadcast that shows the application.
    case launchAnswersLate = "launch-answers-late"
    /// A `STOP` that succeeds has no answer of its own, only the broadcast.
    case silentStop = "silent-stop"
    /// The answer to `SET_VOLUME` still tells the former volume; the broadcast after it is right.
    case formerVolumeInAnswer = "former-volume-in-answer"
    /// Media status also lists the session that the present one replaced.
    case formerSession = "former-session"
    /// Media status has its members at the top level instead of in a list.
    case flatMediaStatus = "flat-media-status"
    /// Each item of a queue is a media session of its own.
    case sessionPerItem = "session-per-item"
    /// An item that is being loaded has the player state LOADING instead of IDLE.
    case loadingState = "loading-state"
    /// Media status tells `"duration": null` and the stream type in lower case.
    case looseMedia = "loose-media"
    /// Media status always has `queueData` with `shuffle`, instead of only while the queue is shuffled.
    case queueDataAlways = "queue-data-always"
    /// `queueData` never has `shuffle`.
    case queueDataWithoutShuffle = "queue-data-without-shuffle"
    /// A launch and a load are answered as if they had succeeded, and change nothing.
    case acknowledgedOnly = "acknowledged-only"
    /// A launch starts the default media receiver, whatever application was asked for.
    case otherApplication = "other-application"
    /// Media status has an empty list, whatever plays.
    case emptyStatus = "empty-status"
    /// While a group plays, its members show the placeholder applications of leader and follower.
    case groupPlaceholders = "group-placeholders"
}

extension SimulatedReceiver {
    func has(_ habit: Habit) -> Bool { self.settings.habits.contains(habit) }

    /// An element of a media status as this receiver words it.
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
        if self.has(.queueDataWithoutShuffle) { status["queueData"]?["shuffle"] = nil }
        if self.isSabotaged(.wrongSessionID), let id = status["mediaSessionId"]?.int { status["mediaSessionId"] = .integer(id + 1_000) }
        return status
    }
}
