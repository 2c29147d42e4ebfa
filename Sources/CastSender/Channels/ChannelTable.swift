import CastModels

/// The open custom channels of one session.
final class ChannelTable {
    /// The largest number of open channels.
    static let limit = 64

    private var channels: [UInt64: (channel: CastChannel, isConnected: Bool)] = [:]
    private var lastID: UInt64 = 0

    var isEmpty: Bool { self.channels.isEmpty }

    /// All channels, oldest first.
    var all: [CastChannel] { self.channels.sorted { $0.key < $1.key }.map(\.value.channel) }

    var applicationNamespaces: Set<String> {
        Set(self.channels.values.lazy.map(\.channel).filter { $0.target == .application }.map(\.namespace))
    }

    func nextID() throws(CastError) -> UInt64 {
        guard self.channels.count < Self.limit else { throw CastError(.sendBufferFull, detail: "\(Self.limit) channels are open") }
        self.lastID += 1
        return self.lastID
    }

    func add(_ channel: CastChannel, isConnected: Bool) { self.channels[channel.id] = (channel, isConnected) }

    func remove(_ id: UInt64) -> Bool { self.channels.removeValue(forKey: id) != nil }

    func removeAll() -> [CastChannel] {
        defer { self.channels = [:] }
        return self.all
    }

    func isConnected(_ channel: CastChannel) -> Bool { self.channels[channel.id]?.isConnected ?? false }

    /// Updates which channels are connected.
    ///
    /// - Returns: the channels whose state changed.
    func update(_ isConnected: (CastChannel) -> Bool) -> [CastChannel] {
        var changed: [CastChannel] = []
        for channel in self.all {
            let isNow = isConnected(channel)
            guard self.channels[channel.id]?.isConnected != isNow else { continue }
            self.channels[channel.id]?.isConnected = isNow
            changed.append(channel)
        }
        return changed
    }
}
