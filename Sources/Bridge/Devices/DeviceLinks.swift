import BridgeCore
import CastSender
import Logging

/// What the fleet notes of the devices' links: counters, the record, and lines of the log.
final class DeviceLinks {
    private let context: BridgeContext
    private let record: Record
    private let cast: CastFactory

    init(_ context: BridgeContext, record: Record, cast: CastFactory) {
        self.context = context
        self.record = record
        self.cast = cast
    }

    /// The link is ready.
    /// - Returns: the device's details with where it is connected.
    func ready(_ agent: DeviceAgent) -> DeviceDetails {
        self.context.counters.castConnections += 1
        if agent.wasReady { self.context.counters.castReconnects += 1 }
        agent.wasReady = true
        self.record.noteSeen(agent.id, at: self.context.now.wall)
        self.logRecovery(agent)
        var details = agent.state.details
        details.endpoint = agent.endpoint
        return details
    }

    /// A link that was ready is lost.
    func lost(_ error: CastError, _ agent: DeviceAgent) {
        self.context.counters.castConnections -= 1
        self.record.noteSeen(agent.id, at: self.context.now.wall)
        agent.applicationConnection = .init(.none)
        agent.outage.since = agent.outage.since ?? self.context.time
        self.context.logger.debug("device link lost", metadata: ["device": "\(agent.state.slug)", "error": "\(error)"])
    }

    /// An attempt to connect failed: a warning when an outage begins, what follows is for debugging.
    func attemptFailed(_ error: CastError, retryIn delay: Duration?, attempts: Int, _ agent: DeviceAgent) {
        // The attempt may have connected to an application; another one may run when the next attempt succeeds.
        agent.applicationConnection = .init(.none)
        agent.outage.since = agent.outage.since ?? self.context.time
        self.context.logger.debug(
            "connection attempt failed",
            metadata: [
                "device": "\(agent.state.slug)", "error": "\(error)", "attempts": "\(attempts)", "retry_in": "\(delay?.description ?? "-")",
            ])
        guard !agent.outage.hasWarned, !agent.state.isAvailable else { return }
        agent.outage.hasWarned = true
        self.context.logger.warning(
            "device not reachable; the bridge keeps trying", metadata: ["device": "\(agent.state.slug)", "error": "\(error)"])
    }

    /// A device is dismissed while its link is ready; its end is not reported.
    func dismissedWhileConnected() { self.context.counters.castConnections -= 1 }

    /// Another device answered where this one was expected.
    func mismatch(_ found: DeviceIdentity, at endpoint: DeviceEndpoint, _ agent: DeviceAgent) {
        self.context.logger.notice(
            "another device answered at this address; it receives no commands",
            metadata: ["device": "\(agent.state.slug)", "address": "\(endpoint)", "found": "\(found.id)"])
    }

    /// Returns the device's details with what it reports of itself.
    func identified(_ identity: DeviceIdentity, _ agent: DeviceAgent) -> DeviceDetails {
        var details = agent.state.details
        let reported = identity.information
        details.manufacturer = reported.manufacturer ?? details.manufacturer
        details.firmware = reported.castBuildRevision ?? details.firmware
        details.macAddress = reported.macAddress ?? details.macAddress
        return details
    }

    /// Returns the device's details with what its proof is worth.
    func authenticated(_ result: DeviceAuthenticationResult, _ agent: DeviceAgent) -> DeviceDetails {
        var details = agent.state.details
        let former = details.authentication
        let verdict = DeviceDetails.Authentication(result)
        details.authentication = verdict
        if verdict == .failed || verdict == .keyChanged, verdict != former {
            self.context.logger.warning(
                "device could not prove that it is genuine, or the one that it was",
                metadata: ["device": "\(agent.state.slug)", "authentication": "\(verdict.rawValue)"])
        }
        // The library remembers a first key after it has reported the proof.
        self.context.loop.later { [weak self, id = agent.id] in self?.rememberKey(of: id) }
        return details
    }

    /// Keeps a device's first key for the next start.
    func rememberKey(of id: Device.ID) {
        let fingerprint = self.cast.authentication.keys.fingerprints[id]
        self.record.update(id) { $0.keyFingerprint = fingerprint }
    }

    private func logRecovery(_ agent: DeviceAgent) {
        defer { agent.outage = Outage() }
        var metadata: Logger.Metadata = ["device": "\(agent.state.slug)"]
        if let since = agent.outage.since {
            metadata["after"] = "\(Double(Int(self.context.time.seconds(since: since) * 10)) / 10) s"
            // A link that came back within the grace changed nothing that anybody sees.
            guard !agent.state.isAvailable else { return }
        }
        self.context.logger.info("device online", metadata: metadata)
    }
}

extension DeviceDetails.Authentication {
    /// The word for a proof. Whose key it is counts before what a chain proves, because a thief may have bought a genuine device.
    init(_ result: DeviceAuthenticationResult) {
        switch (result.verdict, result.keyContinuity) {
        case (.failed, _): self = .failed
        case (_, .changed): self = .keyChanged
        case (.authentic, _), (.expiredChain, _): self = .genuine
        case (.unverified, _): self = .unknownKey
        }
    }
}
