/// One behaviour broken on purpose, so that a test can show that it would notice.
public enum Sabotage: String, Sendable, Hashable, CaseIterable {
    /// Neither answers `PING` nor sends any.
    case noPong = "no-pong"
    /// Answers carry a `requestId` that nobody used.
    case wrongRequestID = "wrong-request-id"
    /// Every media status tells the position at which the current stretch of playing began.
    case stalePosition = "stale-position"
    /// Only the asker learns of a change.
    case noBroadcast = "no-broadcast"
    /// Every answer is sent twice.
    case doubleReply = "double-reply"
    /// `GET_STATUS` to the platform is answered by a frame above 64 KiB.
    case oversizeFrame = "oversize-frame"
    /// `GET_STATUS` to the platform is answered by a frame that is no protobuf.
    case garbageFrame = "garbage-frame"
    /// Device information, `eureka_info` and multizone status name another id than the announcement.
    case otherIdentity = "other-identity"
    /// A seek always ends playing, whatever `resumeState` said and the state was.
    case seekResumes = "seek-resumes"
    /// Setting the mute state is answered as done and changes nothing.
    case muteIgnored = "mute-ignored"
    /// Media status names a media session that is not there.
    case wrongSessionID = "wrong-session-id"
    /// `GET_STATUS` to the platform is answered by a frame whose header states five bytes more than follow.
    case badFrameLength = "bad-frame-length"
    /// A launch is never answered, and starts nothing.
    case launchUnanswered = "launch-unanswered"
}
