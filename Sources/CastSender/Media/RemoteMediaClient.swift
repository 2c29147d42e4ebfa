import CastModels
import CastProtocol

/// Requests about what plays in the running application (SDK: `GCKRemoteMediaClient`; wire: media namespace).
///
/// Every request ends exactly once: with the receiver's answer or a status that shows what it wanted, or with an error. Common to all:
/// `invalidRequest` with `argument` for what doesn't fit, before anything is sent; `deviceNotConnected` when nothing was sent;
/// `networkError` when the link broke before the answer; `timeout`; `cancelled`; `replaced` when a newer request sets the same;
/// `noMediaSession`; `invalidMediaPlayerState`, `invalidRequest` and `unsupportedFeature` with the receiver's `reason`;
/// `applicationNotRunning` when the application ended meanwhile. `customData` is for the application alone. While a request runs and 5 s
/// after, the connection to an application that others started is a strong one.
public struct RemoteMediaClient: Sendable {
    let session: CastSession
    /// What is added where a call doesn't say; those of the session until set.
    public var defaults: MediaDefaults

    init(session: CastSession, defaults: MediaDefaults = MediaDefaults()) {
        self.session = session
        self.defaults = defaults
    }

    /// Loads media, or a queue, into the running application. Never repeated by itself: a load that was lost may have arrived. A queue
    /// that doesn't fit one message is loaded in parts, the item to start with first.
    ///
    /// - Parameter applicationID: waits until this application is ready; `nil` takes the one that runs.
    /// - Throws: `applicationNotRunning`, `mediaLoadFailed`, `replaced` when a newer load took its place, `messageTooBig` for an item
    ///   above 63 KiB.
    nonisolated(nonsending) public func load(_ request: MediaLoadRequest, in applicationID: String? = nil) async throws(CastError) {
        let request = self.defaults.completing(request)
        try request.validate()
        try await self.session.load(request, in: applicationID)
    }

    nonisolated(nonsending) public func play(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { _ in .init(.play, observed: .playerState(.playing)) }
    }

    nonisolated(nonsending) public func pause(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { _ in .init(.pause, observed: .playerState(.paused)) }
    }

    /// Ends the media session; the application stays.
    nonisolated(nonsending) public func stop(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { .init(.stop, observed: .mediaSessionEnded($0.mediaSessionID)) }
    }

    /// Seeks; the target is kept within the media.
    ///
    /// - Parameter resumeState: `unchanged` leaves paused media paused, whatever the application's own habit.
    /// - Throws: `invalidState` for a relative target when the receiver tells no position.
    nonisolated(nonsending) public func seek(
        to target: SeekTarget, resumeState: ResumeState = .unchanged, customData: JSONValue? = nil
    ) async throws(CastError) {
        try target.validate()
        let session = self.session
        try await session.control(customData: customData) { status throws(CastError) in
            let position = try target.position(in: status, at: MonotonicTime(session.eventLoop.now))
            let resume: ResumeState = resumeState == .unchanged && status.playerState == .paused ? .pause : resumeState
            return .init(.seek(position: position, resumeState: resume), replacing: .seek)
        }
    }

    /// Goes to the next item of the queue.
    nonisolated(nonsending) public func queueNext(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { _ in .init(.queueUpdate(.init(jump: 1))) }
    }

    /// Goes to the item before in the queue.
    nonisolated(nonsending) public func queuePrevious(customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { _ in .init(.queueUpdate(.init(jump: -1))) }
    }

    /// The stream's volume, for fades. People mean `CastSession.setDeviceVolume(level:)`.
    ///
    /// - Parameter level: 0 to 1.
    nonisolated(nonsending) public func setStreamVolume(_ level: Double, customData: JSONValue? = nil) async throws(CastError) {
        try CastError.check(level, in: 0...1, "level")
        try await self.session.control(customData: customData) { _ in .init(.setStreamVolume(level: level), replacing: .streamLevel) }
    }

    /// Mutes or unmutes the stream, not the device; the level stays.
    nonisolated(nonsending) public func setStreamMuted(_ isMuted: Bool, customData: JSONValue? = nil) async throws(CastError) {
        try await self.session.control(customData: customData) { _ in .init(.setStreamMuted(isMuted), replacing: .streamMuted) }
    }

    /// Sets the speed. Done when a status shows it; of a receiver that tells no speed, when it answers.
    ///
    /// - Parameter rate: 0.5 to 2; 1 is normal.
    /// - Throws: `unsupportedFeature` when the receiver answered and goes on telling another speed.
    nonisolated(nonsending) public func setPlaybackRate(_ rate: Double, customData: JSONValue? = nil) async throws(CastError) {
        try CastError.check(rate, in: MediaLoadRequest.playbackRateRange, "rate")
        try await self.session.control(customData: customData) { _ in .init(.setPlaybackRate(rate), replacing: .playbackRate) }
        let refusal = CastError(.unsupportedFeature, detail: "the receiver answered, but keeps its speed")
        try await self.session.confirm(refusal) { status in
            // Some tell 0 while the media stands still: that is no speed either.
            guard let status, let told = status.playbackRate, told != 0 || status.playerState == .playing else { return true }
            return abs(told - rate) <= 0.01
        }
    }

    /// Asks the application for its status (GET_STATUS) and gives the merged one; `nil` when it has no media session.
    @discardableResult
    nonisolated(nonsending) public func requestStatus(customData: JSONValue? = nil) async throws(CastError) -> MediaStatus? {
        try await self.session.requestMediaStatus(customData: customData)
    }
}
