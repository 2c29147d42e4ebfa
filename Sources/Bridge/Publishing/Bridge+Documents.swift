import BridgeCore
import CastSender
import NIOCore

/// The documents of the bridge itself.
extension Bridge {
    /// Every retained message of the bridge but `bridge/state`, which the publisher sends last.
    func bridgeDocuments() -> [OutgoingMessage] {
        // The first round after a start is not to go without the list, although its changes are gathered.
        if self.devicesDocument.message == nil {
            _ = self.devicesDocument.update(with: self.agents.values.map(\.state), mapper: self.mapper, at: self.now.wall)
        }
        var messages = [self.mapper.bridgeInfo(self.info)]
        if let devices = self.devicesDocument.message { messages.append(devices) }
        messages.append(self.mapper.bridgeHealth(self.report, interval: Self.healthInterval))
        return messages
    }

    private var info: BridgeInfo {
        BridgeInfo(
            version: self.settings.version, commit: self.settings.commit, startedAt: self.startedAt.wall,
            mqttProtocolLevel: Int(self.session?.protocolVersion.rawValue ?? 5), mqttHost: self.settings.mqtt.host,
            mqttPort: Int(self.settings.mqtt.port), usesTLS: self.settings.mqtt.tls != nil, clientID: self.settings.mqtt.clientID,
            homeAssistantMode: self.settings.homeAssistant.mode.rawValue, homeAssistantPrefix: self.settings.homeAssistant.prefix,
            rename: self.settings.life.followsNames ? "follow" : "keep",
            logLevel: self.levels.read().level.rawValue)
    }

    /// Makes `bridge/devices` anew a second after the first of several changes.
    func gatherDevices() {
        guard !self.isGatheringDevices else { return }
        self.isGatheringDevices = true
        self.devicesTimer.set(self.now.monotonic + Self.devicesGathering, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.devicesTimer.cancel()
                bridge.isGatheringDevices = false
                bridge.makeDevices()
            }
        }
    }

    private func makeDevices() {
        guard self.devicesDocument.update(with: self.agents.values.map(\.state), mapper: self.mapper, at: self.now.wall) else { return }
        self.publisher.changed(.bridge)
        self.pump()
    }

    // MARK: Health

    /// Reads the counters now and every minute.
    func armHealth() {
        self.report = self.health.report(
            at: self.now, startedAt: self.startedAt, publisher: self.publisher, intake: self.intake, agents: self.agents.values)
        self.publisher.changed(.bridge)
        self.schedulePump()
        self.healthTimer.set(self.now.monotonic + Self.healthInterval, on: self.eventLoop) { [weak self] in
            self?.assumeIsolated { bridge in
                bridge.healthTimer.cancel()
                bridge.armHealth()
            }
        }
    }
}
