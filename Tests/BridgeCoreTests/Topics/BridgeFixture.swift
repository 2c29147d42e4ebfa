@testable import BridgeCore

enum BridgeFixture {
    static let info = BridgeInfo(
        version: "1.0.0", commit: "a1b2c3d", startedAt: Timestamp(milliseconds: 1_795_269_482_000), mqttProtocolLevel: 5,
        mqttHost: "192.168.1.10", mqttPort: 8883, usesTLS: true, homeAssistant: HomeAssistantOptions(),
        rename: "keep", logLevel: "info")

    static let health: HealthReport = {
        var report = HealthReport()
        report.uptimeSeconds = 358
        report.devicesKnown = 9
        report.devicesOnline = 8
        report.devicesUnverified = 1
        report.mqttConnected = true
        report.mqttConnects = 1
        report.mqttPublished = 412
        report.mqttReceived = 37
        report.castConnections = 8
        report.castReconnects = 2
        report.castRequests = 58
        report.heartbeatLateMillisecondsMax = 41
        report.residentMegabytes = 38.2
        report.cpuPercent = 0.4
        report.threads = 7
        report.fileDescriptors = 46
        return report
    }()
}
