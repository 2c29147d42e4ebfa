import LogKeys
import Logging

/// Logs one warning for each new kind of error in an outage, debug lines for its repetitions, and one line when the outage is over.
struct OutageLog {
    private let logger: Logger
    private let configuration: MQTTConfiguration
    private var began: Duration?
    private var warned: Set<String> = []

    init(logger: Logger, configuration: MQTTConfiguration) {
        var logger = logger
        logger[metadataKey: LogKey.host.rawValue] = "\(configuration.host)"
        logger[metadataKey: LogKey.port.rawValue] = "\(configuration.port)"
        self.logger = logger
        self.configuration = configuration
    }

    mutating func connected(_ session: MQTTSession, now: Duration) {
        var metadata: LogMetadata = [
            .peer: "\(session.peer)", .protocol: "\(session.protocolVersion)",
            .clientID: "\(self.configuration.clientID)",
        ]
        if let began { metadata[.outage] = "\(Self.rounded(now - began))" }
        self.logger.info(self.began == nil ? "broker connected" : "broker connected again", metadata: metadata)
        self.began = nil
        self.warned = []
    }

    mutating func failed(_ error: MQTTLinkError, retryIn: Duration, now: Duration) {
        if error.reasonCode == .unsupportedProtocolVersion, retryIn == .zero {
            self.logger.info("broker does not support this MQTT version, trying the other one")
            return
        }
        self.report("broker connection failed; trying again until it works", error, retryIn: retryIn, now: now)
    }

    mutating func lost(_ error: MQTTLinkError, retryIn: Duration, now: Duration) {
        self.report("broker connection lost; connecting again", error, retryIn: retryIn, now: now)
    }

    func left() { self.logger.debug("disconnected from broker") }

    private mutating func report(_ message: Logger.Message, _ error: MQTTLinkError, retryIn: Duration, now: Duration) {
        self.began = self.began ?? now
        let isNew = self.warned.insert("\(error.code.rawValue)/\(error.reasonCode?.rawValue ?? 0)").inserted
        self.logger.log(
            level: isNew && (error.isTemporary || !self.configuration.isProbe) ? .warning : .debug, message,
            metadata: [
                .error: "\(error.code.rawValue)", .reason: "\(error)", .remedy: "\(error.remedy)",
                .retryIn: "\(Self.rounded(retryIn))",
            ])
    }

    /// Returns the duration in whole tenths of a second, for people.
    private static func rounded(_ duration: Duration) -> Duration { .milliseconds(duration.wholeMilliseconds / 100 * 100) }
}
