import CastModels
import NIOCore

/// How a stream transfer went.
public struct StreamTransfer: Sendable {
    /// How the media was taken along.
    public enum Method: Sendable, Hashable {
        /// The receiver stored its session and the other one resumed it.
        case storedSession
        /// It was loaded anew at the estimated position, with tracks, rate, repeat mode and the queue, of which `queue` tells how much.
        case loadedAnew
    }

    public var method: Method
    /// The session with the device that plays now.
    public var session: CastSession
    /// What of the queue was loaded anew; `nil` without a queue, and when the receivers passed it on themselves.
    public var queue: Queue?
    /// Why the device it came from could not be silenced; then both play.
    public var sourceError: CastError?

    init(_ media: TransferredMedia, to session: CastSession) {
        self.session = session
        switch media {
        case .stored: self.method = .storedSession
        case .load(_, let queue): (self.method, self.queue) = (.loadedAnew, queue)
        }
    }
}

extension SessionManager {
    /// How long a device that a volume is set of without a session may take.
    private static let temporaryLimit = TimeAmount.seconds(15)

    /// Moves what plays to another device or group. The source goes on playing until the target plays, and goes on when it doesn't.
    ///
    /// - Parameters:
    ///   - source: a device with a started session.
    ///   - target: a device without one; when this fails, what was started there is stopped.
    /// - Throws: `sessionIsNotActive`, `noMediaSession` when nothing plays, `duplicateRequest` when there is a session with the target,
    ///   an error of `start`, or of the target's player (`mediaLoadFailed`, `invalidRequest`, `unsupportedFeature` …).
    @discardableResult
    public func transfer(from source: Device.ID, to target: Device) async throws(CastError) -> StreamTransfer {
        let entry = try self.entry(source)
        guard entry.lifecycle.state == .started, let session = entry.session, let applicationID = entry.applicationID else {
            throw CastError(.sessionIsNotActive, detail: "the session with \(source) is not running")
        }
        self.perform([.tell(.willTransfer(to: target.id))], entry)
        do throws(CastError) {
            let (targetSession, media) = try await self.begin(
                try await session.transferredMedia(), of: applicationID, from: session, on: target)
            self.perform([.tell(.didTransfer(to: target.id))], entry)
            var outcome = StreamTransfer(media, to: targetSession)
            do throws(CastError) { try await self.end(source, stopsApplication: true) } catch { outcome.sourceError = error }
            return outcome
        } catch {
            self.perform([.tell(.didFailToTransfer(to: target.id, error))], entry)
            throw error
        }
    }

    /// - Returns: the session with the target, and in which form the media was taken along in the end.
    private func begin(
        _ media: TransferredMedia, of applicationID: String, from source: CastSession, on target: Device
    ) async throws(CastError) -> (CastSession, TransferredMedia) {
        let session = try await self.start(on: target, launching: applicationID)
        do throws(CastError) {
            return (session, try await session.resume(media, from: source, in: applicationID))
        } catch {
            // What was running there before we came goes on.
            let isOurs = self.record(of: target.id)?.isOwned ?? false
            try? await self.end(target.id, stopsApplication: isOurs)
            throw error
        }
    }

    /// Sets the volume of any device, with a session or without: for members of a group, whose own link always obeys.
    ///
    /// - Parameter level: 0 to 1.
    /// - Throws: as `CastSession.setDeviceVolume`; without a session also the last error of connecting within 15 s.
    public func setDeviceVolume(level: Double, of device: Device) async throws(CastError) {
        guard (0...1).contains(level) else { throw .invalidArgument("level", "0 to 1, not \(level)") }
        try await self.onLink(to: device) { session throws(CastError) in try await session.setDeviceVolume(level: level) }
    }

    /// Mutes or unmutes any device, with a session or without; otherwise as for its volume.
    public func setDeviceMuted(_ isMuted: Bool, of device: Device) async throws(CastError) {
        try await self.onLink(to: device) { session throws(CastError) in try await session.setDeviceMuted(isMuted) }
    }

    /// Connects to devices without a session.
    nonisolated var temporaryConnection: TemporaryConnection {
        TemporaryConnection(
            eventLoop: self.eventLoop, connector: self.connector, handshakeGate: self.gate, random: self.random,
            authentication: self.options.authentication, loggers: self.linkLoggers)
    }

    private func onLink(to device: Device, _ work: @escaping @Sendable (CastSession) async throws(CastError) -> Void)
        async throws(CastError)
    {
        if let session = self.session(with: device.id) { return try await work(session) }
        try await self.temporaryConnection.withSession(of: device, limit: Self.temporaryLimit, work)
    }
}
