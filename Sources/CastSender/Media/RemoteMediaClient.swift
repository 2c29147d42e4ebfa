import CastModels
import CastProtocol

/// Controls the media of the running application (SDK: `GCKRemoteMediaClient`; wire: media namespace).
///
/// Every request ends exactly once: with the receiver's answer, with a status that shows the requested state, or with an error. An answer
/// alone is enough only where the receiver does not report that state. All requests throw: `invalidRequest` with `argument` for an invalid
/// argument, before anything is sent; `sessionSuspended` between two links and `deviceNotConnected` after the session, when nothing was
/// sent; `networkError` when the link broke before the answer;
/// `timeout`; `cancelled`; `replaced` when a newer request or another sender sets the same; `noMediaSession`; `notApplied` when the
/// receiver answered and shows another state 2 s later, not counting time in which it loads; `invalidMediaPlayerState`, `invalidRequest` and
/// `unsupportedFeature` with the receiver's `reason`; `applicationNotRunning` when the application ended meanwhile. Only the application
/// interprets `customData`. During a request and for 5 s after it, the connection to an application that another sender started is a strong
/// one.
public struct RemoteMediaClient: Sendable {
    let session: CastSession
    /// The values for parameters that a call leaves out; initially those of the session.
    public var defaults: MediaDefaults

    init(session: CastSession, defaults: MediaDefaults = MediaDefaults()) {
        self.session = session
        self.defaults = defaults
    }

    /// Loads media, or a queue, into the running application. The request is never repeated automatically, because a lost one may have
    /// arrived. A queue that does not fit one message is loaded in parts, the first item to play first. Ends with `timeout` after 180 s
    /// without an answer, or after 40 s without any sign of the application; a caller with less time cancels it.
    ///
    /// - Parameters:
    ///   - request: the media or the queue, and how it starts.
    ///   - applicationID: waits until this application is ready; `nil` uses the running one.
    /// - Throws: `applicationNotRunning`, `mediaLoadFailed`, `replaced` when a newer load replaced this one, `messageTooBig` for an item
    ///   above 63 KiB.
    nonisolated(nonsending) public func load(_ request: MediaLoadRequest, in applicationID: String? = nil) async throws(CastError) {
        let request = self.defaults.completing(request)
        try request.validate()
        try await self.session.load(request, in: applicationID)
    }

    nonisolated(nonsending) public func play(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { _ in [.init(.play, observed: .playerState(.playing))] }
    }

    nonisolated(nonsending) public func pause(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { _ in [.init(.pause, observed: .playerState(.paused))] }
    }

    /// Ends the media session; the application keeps running.
    nonisolated(nonsending) public func stop(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.stopMedia(customData: customData)
    }

    /// Seeks; the target is limited to the media.
    ///
    /// - Parameters:
    ///   - target: a position, or a distance from the current one.
    ///   - resumeState: `unchanged` keeps paused media paused, whatever the application's default.
    ///   - customData: data for the application.
    /// - Throws: `invalidState` for a relative target when the receiver reports no position.
    nonisolated(nonsending) public func seek(
        to target: SeekTarget, resumeState: ResumeState = .unchanged, customData: JSONValue? = nil
    ) async throws(CastError) {
        try target.validate()
        let session = self.session
        try await session.control(customData: customData) { status throws(CastError) in
            let position = try target.position(in: status, at: MonotonicTime(session.eventLoop.now))
            let resume: ResumeState = resumeState == .unchanged && status.playerState == .paused ? .pause : resumeState
            let wanted = WantedPosition(position, in: status, at: MonotonicTime(session.eventLoop.now))
            return [.init(.seek(position: position, resumeState: resume), observed: .position(wanted), replacing: .seek)]
        }
    }

    /// Skips to the next item of the queue.
    nonisolated(nonsending) public func queueNext(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.jump(by: 1, customData: customData)
    }

    /// Skips to the previous item of the queue.
    nonisolated(nonsending) public func queuePrevious(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.jump(by: -1, customData: customData)
    }

    /// Sets the volume of the stream, for example for fades. For the volume that users control, call `CastSession.setDeviceVolume(level:)`.
    ///
    /// - Parameters:
    ///   - level: 0 to 1.
    ///   - customData: data for the application.
    nonisolated(nonsending) public func setStreamVolume(_ level: Double, customData: JSONValue? = nil) async throws(CastError) {
        try CastError.check(level, in: 0...1, "level")
        try await self.session.control(customData: customData) { status in
            let wanted = WantedLevel(level: level, former: status.streamVolume?.level)
            return [.init(.setStreamVolume(level: level), observed: .streamLevel(wanted), replacing: .streamLevel)]
        }
    }

    /// Mutes or unmutes the stream, not the device; the level is kept.
    nonisolated(nonsending) public func setStreamMuted(_ isMuted: Bool, customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { _ in
            [.init(.setStreamMuted(isMuted), observed: .streamMuted(isMuted), replacing: .streamMuted)]
        }
    }

    /// Sets the playback rate.
    ///
    /// - Parameters:
    ///   - rate: 0.5 to 2; 1 is normal speed.
    ///   - customData: data for the application.
    nonisolated(nonsending) public func setPlaybackRate(_ rate: Double, customData: JSONValue? = nil) async throws(CastError) {
        try CastError.check(rate, in: MediaLoadRequest.playbackRateRange, "rate")
        try await self.session.control(customData: customData) { _ in
            [.init(.setPlaybackRate(rate), observed: .playbackRate(rate), replacing: .playbackRate)]
        }
    }

    /// Requests the status from the application (GET_STATUS) and returns the merged one; `nil` when it has no media session.
    @discardableResult
    nonisolated(nonsending) public func requestStatus(customData: JSONValue? = nil) async throws(CastError) -> MediaStatus? {
        try await self.session.requestMediaStatus(customData: customData)
    }
}
