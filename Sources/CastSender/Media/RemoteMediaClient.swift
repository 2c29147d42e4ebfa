import CastModels
import CastProtocol

/// Requests about what plays in the running application (SDK: `GCKRemoteMediaClient`; wire: media namespace).
///
/// Every request ends with the receiver's answer, or when a status shows what it wanted. Common to all: `deviceNotConnected` when
/// nothing was sent, `networkError` when the link broke before the answer, `timeout`, `cancelled`, `noMediaSession`,
/// `invalidMediaPlayerState`, `invalidRequest`, `applicationNotRunning` when the application ended meanwhile. While such a request runs
/// and 5 s after, the connection to an application that others started is a strong one.
public struct RemoteMediaClient: Sendable {
    let session: CastSession

    /// The merged status; `nil` when there is no media session.
    public var mediaStatus: MediaStatus? { get async { await self.session.mediaStatus } }

    /// Loads media into the running application. Never repeated by itself: a load that was lost may have arrived.
    ///
    /// - Parameter applicationID: waits until this application is ready; `nil` takes the one that runs.
    /// - Throws: `applicationNotRunning`, `mediaLoadFailed`, `replaced` when a newer load took its place.
    nonisolated(nonsending) public func load(_ request: MediaLoadRequest, in applicationID: String? = nil) async throws(CastError) {
        try await self.session.load(request, in: applicationID)
    }

    nonisolated(nonsending) public func play() async throws(CastError) {
        try await self.session.control { _ in .init(.play, observed: .playerState(.playing)) }
    }

    nonisolated(nonsending) public func pause() async throws(CastError) {
        try await self.session.control { _ in .init(.pause, observed: .playerState(.paused)) }
    }

    /// Ends the media session; the application stays.
    nonisolated(nonsending) public func stop() async throws(CastError) {
        try await self.session.control { .init(.stop, observed: .mediaSessionEnded($0.mediaSessionID)) }
    }

    /// Seeks; the target is kept within the media.
    ///
    /// - Parameter resumeState: `unchanged` leaves paused media paused, whatever the application's own habit.
    nonisolated(nonsending) public func seek(to target: SeekTarget, resumeState: ResumeState = .unchanged) async throws(CastError) {
        let session = self.session
        try await session.control { status throws(CastError) in
            let position = try target.position(in: status, at: MonotonicTime(session.eventLoop.now))
            let resume: ResumeState = resumeState == .unchanged && status.playerState == .paused ? .pause : resumeState
            return .init(.seek(position: position, resumeState: resume))
        }
    }

    /// Goes to the next item of the queue.
    nonisolated(nonsending) public func queueNext() async throws(CastError) {
        try await self.session.control { _ in .init(.queueUpdate(.init(jump: 1))) }
    }

    /// Goes to the item before in the queue.
    nonisolated(nonsending) public func queuePrevious() async throws(CastError) {
        try await self.session.control { _ in .init(.queueUpdate(.init(jump: -1))) }
    }

    /// The stream's volume, 0 to 1, for fades. People mean `CastSession.setDeviceVolume(level:)`.
    nonisolated(nonsending) public func setStreamVolume(_ level: Double) async throws(CastError) {
        try await self.session.control { _ in .init(.setStreamVolume(level: level)) }
    }

    /// - Parameter rate: above 0; 1 is normal.
    nonisolated(nonsending) public func setPlaybackRate(_ rate: Double) async throws(CastError) {
        try await self.session.control { _ in .init(.setPlaybackRate(rate)) }
    }

    /// Asks the application for its status (GET_STATUS) and gives the merged one; `nil` when it has no media session.
    @discardableResult
    nonisolated(nonsending) public func requestStatus() async throws(CastError) -> MediaStatus? {
        try await self.session.requestMediaStatus()
    }
}
