import BridgeCore

/// Clients in the same process, beside MQTT: those that read documents and events, and those that give commands.
final class LocalClients {
    let watchers: Watchers
    let commands: DirectCommands

    /// - Parameters:
    ///   - bridgeMessages: returns the documents of the bridge itself, without `bridge/state`.
    ///   - receive: handles a command as if the broker had sent it.
    init(
        _ context: BridgeContext, directory: any DeviceDirectory, bridgeMessages: @escaping () -> [OutgoingMessage],
        receive: @escaping (IncomingMessage) -> Void
    ) {
        self.watchers = Watchers(context, directory: directory, bridgeMessages: bridgeMessages)
        self.commands = DirectCommands(context, receive: receive)
    }

    /// Answers every waiting command and ends every reader.
    func end() {
        self.commands.end()
        self.watchers.end()
    }
}
