import CastModels
import NIOCore

/// The result of a stream transfer.
public struct StreamTransfer: Sendable {
    /// How the media was transferred.
    public enum Method: Sendable, Hashable {
        /// The receiver stored its session and the target resumed it.
        case storedSession
        /// The target loaded the media again at the estimated position, with tracks, rate, repeat mode and the queue; `queue` reports how
        /// much of it.
        case loadedAgain
    }

    public var method: Method
    /// The session with the target.
    public var session: CastSession
    /// The part of the queue that was loaded; `nil` without a queue, and when the receivers transferred it themselves.
    public var queue: Queue?
    /// The error of stopping the source; both devices then play.
    public var sourceError: CastError?

    init(_ media: TransferredMedia, to session: CastSession) {
        self.session = session
        switch media {
        case .stored: self.method = .storedSession
        case .load(_, let queue): (self.method, self.queue) = (.loadedAgain, queue)
        }
    }
}

extension SessionManager {
    /// The time limit for setting the volume of a device without a session.
    private static let temporaryLimit = TimeAmount.seconds(15)

    /// Moves the media to another device or group. The source continues to play until the target plays, and also if the target does not.
    ///
    /// - Parameters:
    ///   - source: a device with a started session.
    ///   - target: a device without a session. On failure, the application launched there is stopped.
    /// - Throws: `sessionIsNotActive`, `noMediaSession` when no media is playing, `duplicateRequest` when a session with the target exists,
    ///   an error of `start`, or of the target's player (`mediaLoadFailed`, `invalidRequest`, `unsupportedFeature` …).
    @discardableResult
    public func transfer(from source: Device.ID, to target: Device) async throws(CastError) -> StreamTransfer {
        let entry = try self.entry(source)
        guard entry.lifecycle.state == .started, let session = entry.session, let applicationID = entry.applicationID else {
            throw CastError(.sessionIsNotActive, detail: "the session with \(source) is not running")
        }
        self.report(.willTransfer(to: target.id), entry)
        do throws(CastError) {
            let (targetSession, media) = try await self.begin(
                try await session.transferredMedia(), of: applicationID, from: session, on: target)
            self.report(.didTransfer(to: target.id), entry)
            var outcome = StreamTransfer(media, to: targetSession)
            do throws(CastError) { try await self.end(source, stopsApplication: true) } catch { outcome.sourceError = error }
            return outcome
        } catch {
            self.report(.didFailToTransfer(to: target.id, error), entry)
            throw error
        }
    }

    /// - Returns: the session with the target, and the form in which the media was transferred.
    private func begin(
        _ media: TransferredMedia, of applicationID: String, from source: CastSession, on target: Device
    ) async throws(CastError) -> (CastSession, TransferredMedia) {
        let session = try await self.begin(on: target, launching: applicationID)
        do throws(CastError) {
            return (session, try await session.resume(media, from: source, in: applicationID))
        } catch {
            // An application that was running there before keeps running.
            let isOurs = self.record(of: target.id)?.isOwned ?? false
            try? await self.end(target.id, stopsApplication: isOurs)
            throw error
        }
    }

    /// Sets the volume of any device, with or without a session. Use it for members of a group, whose own link always works.
    ///
    /// - Parameters:
    ///   - level: 0 to 1.
    ///   - device: the device, for instance a member of a group.
    /// - Throws: the errors of `CastSession.setDeviceVolume`; without a session also the last connection error within 15 s.
    public func setDeviceVolume(level: Double, of device: Device) async throws(CastError) {
        guard (0...1).contains(level) else { throw .invalidArgument("level", "0 to 1, not \(level)") }
        try await self.onLink(to: device) { session throws(CastError) in try await session.setDeviceVolume(level: level) }
    }

    /// Mutes or unmutes any device, with or without a session; otherwise like `setDeviceVolume(level:of:)`.
    public func setDeviceMuted(_ isMuted: Bool, of device: Device) async throws(CastError) {
        try await self.onLink(to: device) { session throws(CastError) in try await session.setDeviceMuted(isMuted) }
    }

    private func onLink(to device: Device, _ work: @escaping @Sendable (CastSession) async throws(CastError) -> Void)
        async throws(CastError)
    {
        if let session = self.startedSessions.first(where: { $0.device.id == device.id })?.session { return try await work(session) }
        try await self.temporaryConnection.withSession(of: device, limit: Self.temporaryLimit, work)
    }
}
