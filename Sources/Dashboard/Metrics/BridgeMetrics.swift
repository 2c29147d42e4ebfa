import BridgeCore

/// Writes the figures of the bridge as metrics. Their names are a contract; `docs/MONITORING.md` lists them.
struct BridgeMetrics {
    let measurements: BridgeMeasurements
    /// How long the event loop took to return the figures.
    let loopDelay: Duration
    let version: String

    func write(to text: inout MetricsText) {
        let health = self.measurements.health
        text.begin("cast2mqtt_build_info", .gauge, "The version of the program; always 1.")
        text.sample(1, [("version", self.version)])
        text.add("cast2mqtt_bridge_online", .gauge, self.measurements.isOnline ? 1 : 0, "Whether bridge/state is online.")
        text.add("cast2mqtt_uptime_seconds", .gauge, Double(health.uptimeSeconds), "Seconds since the start.")
        self.devices(health, &text)
        self.broker(health, &text)
        self.commands(&text)
        text.add(
            "cast2mqtt_loop_delay_seconds", .gauge, self.loopDelay / .seconds(1), "How long the event loop took to answer this request.")
        self.process(health, &text)
    }

    private func devices(_ health: HealthReport, _ text: inout MetricsText) {
        let gauges = [
            ("devices_known", health.devicesKnown, "Devices that the bridge looks after."),
            ("devices_online", health.devicesOnline, "Devices whose availability is online."),
            ("devices_unverified", health.devicesUnverified, "Devices that are announced and were never connected to."),
            ("devices_excluded", health.devicesExcluded, "Devices without topics, since they can run none of discovery.applications."),
            ("cast_connections", health.castConnections, "Links to devices that are up."),
        ]
        for (name, value, help) in gauges { text.add("cast2mqtt_\(name)", .gauge, Double(value), help) }
        let counters = [
            ("cast_reconnects", health.castReconnects, "Reconnections to devices."),
            ("cast_statuses", self.measurements.tally.statuses, "Statuses that devices reported."),
            ("cast_requests", health.castRequests, "Commands begun on devices."),
            ("cast_timeouts", health.castTimeouts, "Commands answered timeout."),
        ]
        for (name, value, help) in counters { text.add("cast2mqtt_\(name)", .counter, Double(value), help) }
        text.add(
            "cast2mqtt_cast_heartbeat_late_seconds_max", .gauge, Double(health.heartbeatLateMillisecondsMax) / 1000,
            "The largest delay of a heartbeat.")
    }

    private func broker(_ health: HealthReport, _ text: inout MetricsText) {
        text.add("cast2mqtt_mqtt_connected", .gauge, health.mqttConnected ? 1 : 0, "Whether there is a link to the broker.")
        let counters = [
            ("connects", health.mqttConnects, "Links to the broker, the first included."),
            ("published", health.mqttPublished, "Messages to the broker."), ("received", health.mqttReceived, "Messages from the broker."),
            ("dropped", health.mqttDropped, "Events, answers and commands that were lost."),
            ("refused", health.mqttRefused, "Messages that the broker refused."),
            ("retained_commands", health.mqttRetainedCommands, "Retained commands, which were refused."),
            ("self_tests_failed", health.mqttSelfTestsFailed, "Links over which the broker did not deliver our message to ourselves."),
        ]
        for (name, value, help) in counters { text.add("cast2mqtt_mqtt_\(name)", .counter, Double(value), help) }
        text.add("cast2mqtt_mqtt_queued", .gauge, Double(health.mqttQueued), "Messages that wait or are not acknowledged.")
    }

    private func commands(_ text: inout MetricsText) {
        let tally = self.measurements.tally.commands
        text.begin("cast2mqtt_commands", .counter, "Final answers to commands by their code.")
        for code in AnswerCode.allCases where code != .accepted { text.sample(tally.answers[code] ?? 0, [("code", code.rawValue)]) }
        text.begin("cast2mqtt_command_duration_seconds", .histogram, "The time from a command's arrival to its final answer.")
        text.histogram(bounds: CommandTally.bounds, counts: tally.buckets, sum: tally.totalSeconds)
        text.begin("cast2mqtt_commands_pending", .gauge, "Commands that wait for their turn, and those that run.")
        text.sample(self.measurements.commandsWaiting, [("state", "waiting")])
        text.sample(self.measurements.commandsRunning, [("state", "running")])
    }

    private func process(_ health: HealthReport, _ text: inout MetricsText) {
        text.add(
            "process_resident_memory_bytes", .gauge, health.residentMegabytes.map { ($0 * 1e6).rounded() }, "Memory in use.")
        text.add("process_cpu_seconds", .counter, self.measurements.cpuSeconds, "Processor time since the start.")
        text.add("process_open_fds", .gauge, health.fileDescriptors.map(Double.init), "Open files and sockets.")
        text.add("process_threads", .gauge, health.threads.map(Double.init), "Threads.")
    }
}
