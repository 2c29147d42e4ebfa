import BridgeCore
import CastSender
import LogKeys
import Logging

/// Records the events of links in counters, in the record, and in the log.
final class DeviceLinks {
    private let context: BridgeContext
    private let record: Record
    private let cast: CastFactory

    init(_ context: BridgeContext, record: Record, cast: CastFactory) { (self.context, self.record, self.cast) = (context, record, cast) }

    /// Records a ready link.
    /// - Returns: the details of the device with its current endpoint.
    func ready(_ agent: DeviceAgent) -> DeviceDetails {
        let now = self.context.now
        let (isReconnection, outageSince) = agent.link.ready(at: now)
        self.context.count { $0.castConnections += 1 }
        if isReconnection { self.context.count { $0.castReconnects += 1 } }
        self.record.noteSeen(agent.id, at: now.wall)
        self.logRecovery(agent, outageSince)
        var details = agent.state.details
        details.endpoint = agent.endpoint
        return details
    }

    func lost(_ error: CastError, _ agent: DeviceAgent) {
        self.context.count { $0.castConnections -= 1 }
        self.record.noteSeen(agent.id, at: self.context.now.wall)
        agent.link.failed(.lost, code: error.code.word, at: self.context.now)
        self.context.logger.debug("device link lost", metadata: [.device: "\(agent.state.slug)", .error: "\(error)"])
    }

    /// Records a failed attempt: a warning at the beginning of an outage, debug lines afterwards.
    func attemptFailed(_ error: CastError, retryIn delay: Duration?, attempts: Int, _ agent: DeviceAgent) {
        agent.link.failed(.attemptFailed, code: error.code.word, at: self.context.now)
        self.context.logger.debug(
            "connection attempt failed",
            metadata: [
                .device: "\(agent.state.slug)", .error: "\(error)", .attempts: "\(attempts)", .retryIn: "\(delay?.description ?? "-")",
            ])
        guard !agent.state.isAvailable, agent.link.warns() else { return }
        self.context.logger.warning(
            "device not reachable; the bridge keeps trying", metadata: [.device: "\(agent.state.slug)", .error: "\(error)"])
    }

    /// Records that a device was dismissed while its link was ready, because its end is not reported.
    func dismissedWhileConnected() { self.context.count { $0.castConnections -= 1 } }

    /// Records that another device answered in place of this one.
    func mismatch(_ found: DeviceIdentity, at endpoint: DeviceEndpoint, _ agent: DeviceAgent) {
        agent.link.note(.otherDevice, at: self.context.now)
        self.context.logger.log(
            level: agent.link.isNew(found.id) ? .notice : .debug, "another device answered at this address; it receives no commands",
            metadata: [.device: "\(agent.state.slug)", .address: "\(endpoint)", .found: "\(found.id)"])
    }

    /// Returns the details of the device with its reported identity.
    func identified(_ identity: DeviceIdentity, _ agent: DeviceAgent) -> DeviceDetails {
        var details = agent.state.details
        let reported = identity.information
        details.manufacturer = reported.manufacturer ?? details.manufacturer
        details.firmware = reported.castBuildRevision ?? details.firmware
        details.macAddress = reported.macAddress ?? details.macAddress
        return details
    }

    /// Returns the details of the device with the result of its proof.
    func authenticated(_ result: DeviceAuthenticationResult, _ agent: DeviceAgent) -> DeviceDetails {
        var details = agent.state.details
        let former = details.authentication
        let verdict = DeviceDetails.Authentication(result)
        details.authentication = verdict
        if verdict != former { agent.link.note(.authenticated, code: verdict.rawValue, at: self.context.now) }
        if verdict == .failed || verdict == .keyChanged, verdict != former {
            self.context.logger.warning(
                "device could not prove that it is genuine, or the one that it was",
                metadata: [.device: "\(agent.state.slug)", .authentication: "\(verdict.rawValue)"])
        }
        // The library remembers a first key after it has reported the result.
        self.context.loop.later { [weak self, id = agent.id] in self?.rememberKey(of: id) }
        return details
    }

    /// Records a device's first key for the next start.
    func rememberKey(of id: Device.ID) {
        let fingerprint = self.cast.keyFingerprint(of: id)
        self.record.update(id) { $0.keyFingerprint = fingerprint }
    }

    private func logRecovery(_ agent: DeviceAgent, _ outageSince: MonotonicTime?) {
        var metadata: LogMetadata = [.device: "\(agent.state.slug)"]
        if let since = outageSince {
            metadata[.after] = "\(Double(Int(self.context.time.seconds(since: since) * 10)) / 10) s"
            // A reconnection within the grace period changed no published value.
            guard !agent.state.isAvailable else { return }
        }
        self.context.logger.info("device online", metadata: metadata)
    }
}

extension CastError.Code {
    /// The code as one word of the API: `network_error`.
    fileprivate var word: String { String("\(self)".map { $0 == " " ? "_" : $0 }) }
}

extension DeviceDetails.Authentication {
    /// Creates the word for a result. The owner of the key takes precedence over the chain, because an attacker can use another genuine
    /// device.
    init(_ result: DeviceAuthenticationResult) {
        switch (result.verdict, result.keyContinuity) {
        case (.failed, _): self = .failed
        case (_, .changed): self = .keyChanged
        case (.authentic, _), (.expiredChain, _): self = .genuine
        case (.unverified, _): self = .unknownKey
        }
    }
}
