/// One deliberately broken behaviour, so that a test can show that it would detect it.
public enum Sabotage: String, Sendable, Hashable, CaseIterable {
    /// The device neither answers `PING` nor sends any.
    case noPong = "no-pong"
    /// Answers carry an unused `requestId`.
    case wrongRequestID = "wrong-request-id"
    /// Every media status reports the position at which the current stretch of playback began.
    case stalePosition = "stale-position"
    /// Only the sender of a request receives the resulting status.
    case noBroadcast = "no-broadcast"
    /// Every answer is sent twice.
    case doubleReply = "double-reply"
    /// `GET_STATUS` to the platform is answered by a frame above 64 KiB.
    case oversizeFrame = "oversize-frame"
    /// `GET_STATUS` to the platform is answered by a frame that is not protobuf.
    case garbageFrame = "garbage-frame"
    /// Device information, `eureka_info` and multizone status name another id than the announcement.
    case otherIdentity = "other-identity"
    /// Playback always resumes after a seek, whatever `resumeState` and the previous state.
    case seekResumes = "seek-resumes"
    /// Setting the mute state is answered as successful and changes nothing.
    case muteIgnored = "mute-ignored"
    /// Media status names a media session that does not exist.
    case wrongSessionID = "wrong-session-id"
    /// `GET_STATUS` to the platform is answered by a frame whose header states five bytes more than follow.
    case badFrameLength = "bad-frame-length"
    /// A launch is not answered and starts nothing.
    case launchUnanswered = "launch-unanswered"
    /// An application closes each connection to it at once.
    case connectionsClosed = "connections-closed"
    /// The application is listed, and answers nothing until it is launched again.
    case deadApplication = "dead-application"
    /// The application is listed, and answers nothing, whatever is launched.
    case deadForGood = "dead-for-good"
}
