import CastModels
import CastProtocol
import NIOCore

extension CastSession {
    /// Opens a custom channel. While a channel to the application is open, the application counts us as a sender.
    ///
    /// - Parameters:
    ///   - namespace: `urn:x-cast:` and at least one more character, 128 at most; not a namespace of the platform
    ///     (`…google.cast.tp.`).
    ///   - target: the application, or the device itself.
    /// - Throws: `invalidRequest` or `notAllowed` for the namespace, `sendBufferFull` when 64 channels are open, `sessionSuspended`,
    ///   `deviceNotConnected`.
    public func openChannel(_ namespace: String, to target: CastChannel.Target = .application) throws(CastError) -> CastChannel {
        try ChannelNamespace.validate(namespace)
        return try self.openChannel(namespace, to: target, registration: nil)
    }

    /// - Parameter registration: the registration that it is opened for. It is notified from now on, first of the connection if there is
    ///   one.
    @discardableResult
    func openChannel(
        _ namespace: String, to target: CastChannel.Target, registration: CastChannel.Registration?
    ) throws(CastError) -> CastChannel {
        try self.requireConnection()
        let id = try self.channels.nextID()
        let isConnected = target == .device || self.machine.channelTransport(namespace) != nil
        let channel = CastChannel(
            namespace: namespace, target: target, id: id, session: self, isConnected: isConnected, registration: registration)
        self.channels.add(channel, isConnected: isConnected)
        if let registration { registration.channel.opened(channel, on: registration.device, isConnected: isConnected) }
        self.channelsChanged()
        return channel
    }

    func closeChannel(_ channel: CastChannel) {
        guard self.channels.remove(channel.id) else { return }
        channel.finish()
        if self.isLinked { self.channelsChanged() }
    }

    func send(_ payload: CastMessage.Payload, on channel: CastChannel) async throws(CastError) {
        if channel.target == .application { try await self.foreignLaunchOver() }
        try self.requireConnection()
        let destination: String?
        switch channel.target {
        case .device: destination = CastMessage.platformReceiverID
        case .application: destination = self.machine.channelTransport(channel.namespace)?.id
        }
        guard let destination, self.channels.isConnected(channel) else {
            throw CastError(.channelNotConnected, detail: "no application that speaks \(channel.namespace) runs, or the channel is closed")
        }
        try await self.write(payload, namespace: channel.namespace, to: destination)
    }

    /// Delivers a message to its channels.
    func deliver(_ message: CastMessage) {
        for channel in self.channels.all where channel.namespace == message.namespace && self.channels.isConnected(channel) {
            switch channel.target {
            case .device: if message.sourceID == CastMessage.platformReceiverID { channel.receive(message.payload) }
            case .application:
                if message.sourceID == self.machine.channelTransport(channel.namespace)?.id { channel.receive(message.payload) }
            }
        }
    }

    /// Updates the channels' connection state.
    func updateChannels() {
        guard !self.channels.isEmpty else { return }
        let machine = self.isConnected ? self.machine : nil
        let changed = self.channels.update { channel in
            machine.map { channel.target == .device || $0.channelTransport(channel.namespace) != nil } ?? false
        }
        for channel in changed { channel.connectionChanged(self.channels.isConnected(channel)) }
    }

    /// Closes the registered channels, because the session moves to another device.
    func closeRegisteredChannels() { for channel in self.channels.all where channel.isRegistered { self.closeChannel(channel) } }

    /// The open channels may need another kind of connection.
    func channelsChanged() {
        let namespaces = self.channels.applicationNamespaces
        self.change { $0.channelsChanged(namespaces, now: $1) }
    }
}
