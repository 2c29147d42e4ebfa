import CastModels

extension TopicMapper {
    /// Returns `bridge/state`, which is also the will.
    public func bridgeState(isOnline: Bool) -> OutgoingMessage {
        self.word(isOnline ? "online" : "offline", topic: self.tree.bridge("state"))
    }

    public func bridgeInfo(_ info: BridgeInfo) -> OutgoingMessage {
        var writer = JSONWriter.document(capacity: 768)
        writer.member("instance", self.options.instance)
        writer.member("version", info.version)
        writer.member("commit", info.commit)
        writer.member("started_at", info.startedAt)
        writer.beginObject("mqtt")
        writer.member("protocol", info.mqttProtocolLevel)
        writer.member("host", info.mqttHost)
        writer.member("port", info.mqttPort)
        writer.member("tls", info.usesTLS)
        // Whoever knows it can take the link over, and every reader of topics would know it.
        writer.member("client_id", String?.none)
        writer.member("base", self.tree.base)
        writer.endObject()
        writer.beginObject("home_assistant")
        writer.member("mode", info.homeAssistant.mode.rawValue)
        writer.member("source", info.homeAssistant.modeSource.rawValue)
        writer.member("prefix", info.homeAssistant.prefix)
        writer.endObject()
        writer.member("features", info.features)
        writer.beginObject("config")
        writer.member("rename", info.rename)
        writer.member("position_interval", rounded: self.options.status.positionInterval.inSeconds)
        writer.member("split", self.options.status.split.rawValue)
        writer.endObject()
        writer.member("log_level", info.logLevel)
        writer.member("pair", info.pair.map { JSONValue.object($0) } ?? .null)
        // The deprecated topics, members and values with their successors.
        writer.member("deprecations", ["bridge/info mqtt.client_id"])
        writer.endObject()
        return OutgoingMessage(
            topic: self.tree.bridge("info"), payload: writer.bytes, qos: 1, retain: true, content: .document(schema: 1))
    }

    /// Returns `bridge/health`. It expires after three intervals, so that no health of a stopped bridge remains.
    /// - Parameter interval: the time between two reports.
    public func bridgeHealth(_ report: HealthReport, interval: Duration = .seconds(60)) -> OutgoingMessage {
        var writer = JSONWriter.document(capacity: 512)
        writer.member("uptime_s", report.uptimeSeconds)
        writer.beginObject("devices")
        writer.member("known", report.devicesKnown)
        writer.member("online", report.devicesOnline)
        writer.member("unverified", report.devicesUnverified)
        writer.member("excluded", report.devicesExcluded)
        writer.endObject()
        writer.beginObject("discovery")
        writer.member("cause", report.discoveryCause)
        writer.endObject()
        writer.beginObject("mqtt")
        writer.member("connected", report.mqttConnected)
        writer.member("connects", report.mqttConnects)
        writer.member("published", report.mqttPublished)
        writer.member("received", report.mqttReceived)
        writer.member("queued", report.mqttQueued)
        writer.member("dropped", report.mqttDropped)
        writer.member("retained_commands", report.mqttRetainedCommands)
        writer.member("refused", report.mqttRefused)
        writer.member("self_tests_failed", report.mqttSelfTestsFailed)
        writer.member("last_disconnect_code", report.mqttLastDisconnectCode)
        writer.endObject()
        writer.beginObject("cast")
        writer.member("connections", report.castConnections)
        writer.member("reconnects", report.castReconnects)
        writer.member("requests", report.castRequests)
        writer.member("timeouts", report.castTimeouts)
        writer.member("heartbeat_late_ms_max", report.heartbeatLateMillisecondsMax)
        writer.endObject()
        writer.beginObject("process")
        writer.member("rss_mb", rounded: report.residentMegabytes)
        writer.member("cpu_percent", rounded: report.cpuPercent)
        writer.member("threads", report.threads)
        writer.member("fds", report.fileDescriptors)
        writer.endObject()
        writer.endObject()
        let expiry = min(max(1, (3 * interval.inSeconds).rounded(.up)), 86_400)
        return OutgoingMessage(
            topic: self.tree.bridge("health"), payload: writer.bytes, timestampOffset: MessageBatch.timestampOffset, qos: 0, retain: true,
            content: .document(schema: 1), expirySeconds: UInt32(expiry))
    }

    /// Returns one `bridge/event` with the time of its occurrence.
    public func bridgeEvent(_ event: BridgeEvent, at time: Timestamp) -> OutgoingMessage {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        // The same keys as in events of devices, because readers of `+/event` receive both.
        writer.member("event_type", event.kind.rawValue)
        writer.member("type", event.kind.rawValue)
        writer.member("ts", time)
        writer.member("data", JSONValue.object(event.data))
        writer.endObject()
        return OutgoingMessage(
            topic: self.tree.bridge("event"), payload: writer.bytes, qos: 1, retain: false, content: .json, expirySeconds: 300)
    }

    /// Returns one `bridge/log` with the time of the line.
    public func bridgeLog(_ output: LogRelay.Output) -> OutgoingMessage {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        output.line.write(at: output.time, to: &writer)
        if let repeats = output.repeats { writer.member("repeat", repeats) }
        if output.dropped > 0 { writer.member("dropped", output.dropped) }
        writer.endObject()
        return OutgoingMessage(
            topic: self.tree.bridge("log"), payload: writer.bytes, qos: 0, retain: false, content: .json, expirySeconds: 60)
    }

    /// Returns the array of `bridge/devices`, sorted by name, and by id where names are equal.
    /// - Parameter now: the `last_seen` of available devices; `nil` omits every `last_seen`, for comparison.
    func devicesPayload(_ states: [DeviceState], now: Timestamp?) -> [UInt8] {
        var writer = JSONWriter(capacity: 16 + 640 * states.count)
        writer.beginArray()
        let order = states.indices.map { (states[$0].device.friendlyName.lowercased(), states[$0].device.id, $0) }.sorted(by: <)
        for (_, _, index) in order where self.lists(states[index].device) {
            let state = states[index]
            writer.beginObject()
            self.writeFacts(state, to: &writer) { _ in }
            writer.member("online", state.isAvailable)
            if let now { writer.member("last_seen", state.isAvailable ? now : state.link.lastSeen) }
            writer.member("groups", self.groups(state).map(\.slug))
            writer.member("aliases", state.aliases)
            writer.beginObject("topics")
            writer.member("state", self.tree.device(state.slug, "state"))
            writer.member("cmd", self.tree.device(state.slug, "cmd"))
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        return writer.bytes
    }
}

/// The last `bridge/devices`. A device that was merely seen again does not cause a new one.
public struct DevicesDocument: Sendable {
    /// The message that should be on the broker; `nil` before the first `update`.
    public private(set) var message: OutgoingMessage?
    private var withoutLastSeen: [UInt8]?

    public init() {}

    /// Forms the document again when anything but `last_seen` differs.
    /// - Returns: whether it differs.
    public mutating func update(with states: [DeviceState], mapper: TopicMapper, at now: Timestamp) -> Bool {
        let key = mapper.devicesPayload(states, now: nil)
        guard key != self.withoutLastSeen else { return false }
        self.withoutLastSeen = key
        self.message = OutgoingMessage(
            topic: mapper.tree.bridge("devices"), payload: mapper.devicesPayload(states, now: now), qos: 1, retain: true, content: .json)
        return true
    }
}
