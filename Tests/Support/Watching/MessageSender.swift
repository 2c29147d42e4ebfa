/// Publishes single messages with a program that is not ours, `mosquitto_pub`.
public struct MessageSender: Sendable {
    let host: String
    let port: Int
    let namespace: NetworkNamespace?

    public init(port: Int, host: String = "127.0.0.1", namespace: NetworkNamespace? = nil) {
        self.host = host
        self.port = port
        self.namespace = namespace
    }

    /// Publishes and waits until the broker has it.
    public func publish(_ payload: String, to topic: String, retain: Bool = false, qos: Int = 1, arguments: [String] = []) async throws {
        let content = payload.isEmpty ? ["-n"] : ["-m", payload]
        let process = try await ChildProcess(
            "mosquitto_pub",
            ["-h", self.host, "-p", "\(self.port)", "-V", "5", "-q", "\(qos)", "-t", topic] + (retain ? ["-r"] : []) + content + arguments,
            namespace: self.namespace)
        let code = try await process.ended()
        guard code == 0 else { throw ConditionNotMet(description: "mosquitto_pub failed with \(code): \(process.text)") }
    }
}
