import Bridge
import BridgeConfiguration
import BridgeCore
import CastSender
import FoundationEssentials
import LogKeys
import Logging
import NIOCore

/// Converts the configuration to the settings of each part of the program.
extension Configuration {
    /// - Parameters:
    ///   - privatePort: the port of the private broker, when no host is configured.
    ///   - digits: those of the client id.
    /// - Throws: `invalidRequest` when the certificates of `authentication.roots_file` cannot be read.
    func bridgeSettings(privatePort: Int?, digits: String) throws(CastError) -> BridgeSettings {
        var settings = BridgeSettings(
            instance: self.instance, build: BuildInformation(version: Build.version, commit: Build.commit),
            mqtt: self.client(privatePort: privatePort, digits: digits), topics: TopicTree(base: self.mqtt.base))
        settings.responsePrefixes = self.mqtt.responsePrefixes
        settings.commands = self.commands
        settings.textStyle = self.textStyle
        settings.status = self.status
        settings.artwork = self.artwork
        settings.device.availabilityGrace = self.availabilityGrace
        settings.cast.discovery = self.discovery.manager
        settings.cast.requiredApplications = self.requiredApplications
        settings.cast.authentication = try self.deviceAuthentication
        settings.topicOptions = self.topics
        settings.devices = self.devices
        settings.homeAssistant = self.homeAssistant
        settings.page = { [web = self.web, host = self.mqtt.host] in web.page(ofMachineAt: MachineAddresses.towards(host)) }
        settings.speech = self.speech
        settings.presets = self.presets
        settings.announcements = self.announcements
        settings.historyDays = self.historyDays
        settings.redaction = self.secrets.redaction
        if self.isStandby { settings.pair = PairSettings(owner: "\(MachineName.own ?? "bridge")-\(digits)") }
        return settings
    }

    var deviceAuthentication: DeviceAuthentication {
        get throws(CastError) {
            DeviceAuthentication(
                mode: self.authentication.mode,
                anchors: try self.authenticationRoots.map { path throws(CastError) in try TrustAnchors(contentsOfFile: path) })
        }
    }

    /// The path of the state directory; `nil` when none is given and there is no home.
    var stateDirectoryPath: String? {
        StateDirectoryPath.find(configured: self.stateDirectory, environment: ProcessInfo.processInfo.environment)
    }

    /// The file of what was chosen at run time; `nil` without a state directory.
    var settingsPath: String? { self.stateDirectoryPath.map { "\($0)/\(ChosenSettings.fileName)" } }

    /// The folders in which a running bridge may have its control socket, the most likely one first.
    var controlDirectories: [String] {
        ControlDirectory.candidates(
            instance: self.instance, stateDirectory: self.stateDirectoryPath, environment: ProcessInfo.processInfo.environment)
    }

    /// The devices that the bridge remembers; `nil` when there is no file of them.
    var knownDevices: [KnownDevice]? {
        self.stateDirectoryPath.flatMap { FileManager.default.contents(atPath: $0 + "/" + StateDirectory.devicesFile) }
            .map { StateFile.read(Array($0)).file.devices }
    }

    var requiredApplications: [String] { Set(self.commands.ids(ofApplications: self.discovery.applications).values).sorted() }

    /// Returns the settings of the link to the broker.
    /// - Parameters:
    ///   - privatePort: the port of the private broker, when no host is configured.
    ///   - digits: those of the client id.
    func client(privatePort: Int?, digits: String) -> LinkConfiguration {
        let tls = self.mqtt.tls
        var configuration = LinkConfiguration(
            host: self.mqtt.host ?? "127.0.0.1", port: UInt16(clamping: privatePort ?? self.mqtt.effectivePort),
            username: self.mqtt.username, password: self.mqtt.password?.value,
            tls: tls.isEnabled
                ? .init(caFile: tls.caFile, certificateFile: tls.certificateFile, keyFile: tls.keyFile) : nil,
            protocolVersion: self.mqtt.protocolVersion.preference, clientID: self.mqttClientID(digits: digits),
            keepAliveSeconds: UInt16(clamping: self.mqtt.keepAliveSeconds),
            sessionExpirySeconds: UInt32(clamping: self.mqtt.willDelaySeconds))
        if let path = self.mqtt.passwordFile {
            configuration.readPassword = { (try? WholeFile.read(path, limit: 4096, waits: false)).flatMap { Secret.password(in: $0) } }
        }
        return configuration
    }
}

extension Configuration {
    /// Tries what the bridge needs of its broker: reach it, log in, write, read, retain.
    func brokerFault(privatePort: Int? = nil, within limit: Duration) async -> BrokerExamination.Fault? {
        let examination = BrokerExamination(
            topics: TopicTree(base: self.mqtt.base), configuration: self.client(privatePort: privatePort, digits: ""),
            nonce: .random(in: 0..<1 << 48))
        return await examination.run(within: limit)
    }
}

extension AuthenticationMode {
    fileprivate var mode: DeviceAuthentication.Mode {
        switch self {
        case .off: .off
        case .report: .report
        case .require: .require
        }
    }
}

extension BrokerConfiguration.ProtocolVersion {
    fileprivate var preference: LinkConfiguration.ProtocolPreference {
        switch self {
        case .auto: .auto
        case .v5: .v5
        case .v311: .v311
        }
    }
}

extension DiscoveryConfiguration {
    /// The discovery settings of the library, which checks them again.
    var manager: DiscoveryManager.Configuration {
        DiscoveryManager.Configuration(
            isMulticastEnabled: self.isMulticastEnabled, interfaces: self.interfaces,
            knownHosts: self.knownHosts,
            criteria: DiscoveryCriteria(include: self.include, exclude: self.exclude, capabilities: self.capabilities))
    }
}

extension LogConfiguration {
    /// Sends every logger of the process to standard error.
    /// - Parameter keepsLines: whether readers of the web page see the last lines.
    func install(_ redaction: SecretRedaction, keepsLines: Bool = false) -> LogControl {
        let control = LogControl(
            format: self.format == .json ? .json : StandardError.isJournal ? .journal : .text, filters: self.filters, publish: self.publish,
            redaction: redaction, history: keepsLines ? LogHistory() : nil)
        LoggingSystem.bootstrap { StandardErrorLogHandler(label: $0, control: control) }
        let handler = StandardErrorLogHandler(label: "cast2mqtt", control: control)
        StandardError.writer.reportDropped { count in
            let event = LogEvent(
                level: .warning, message: "log lines dropped", metadata: [LogKey.count.rawValue: "\(count)"], source: nil, file: #fileID,
                function: #function, line: #line)
            return handler.line(event) ?? []
        }
        return control
    }
}
