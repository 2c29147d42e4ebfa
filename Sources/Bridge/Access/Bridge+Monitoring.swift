import BridgeCore

extension Bridge: BridgeMonitoring {
    package func measurements() -> BridgeMeasurements {
        let (parts, usage) = (self.parts, ProcessUsage.read())
        let commands = parts.commands.counts
        return BridgeMeasurements(
            health: parts.reporting.documents.counted(with: usage), isOnline: parts.publisher.isOnline, tally: parts.context.tally,
            commandsWaiting: commands.all - commands.running, commandsRunning: commands.running, cpuSeconds: usage.cpuSeconds)
    }
}
