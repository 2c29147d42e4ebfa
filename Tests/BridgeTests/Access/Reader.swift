import BridgeCore
import CastTestSupport
import NIOCore
import Synchronization
import Testing

@testable import Bridge

/// A reader beside MQTT that notes everything it gets, and when it looked.
final class Reader: Sendable {
    let feed: ChangeFeed
    private let virtual: VirtualLoop
    private let taken = Mutex<[(at: NIODeadline, changes: BridgeChanges)]>([])

    init(_ world: BridgeWorld) async throws {
        self.virtual = world.virtual
        self.feed = try #require(await world.bridge.watch() as? ChangeFeed)
    }

    /// Takes what there is now.
    func read() {
        let now = self.virtual.now
        while let changes = self.feed.take() { self.taken.withLock { $0.append((now, changes)) } }
    }

    var rounds: [(at: NIODeadline, changes: BridgeChanges)] {
        self.read()
        return self.taken.withLock { $0 }
    }

    var events: [String] { self.rounds.flatMap(\.changes.events).map { String(decoding: $0.payload, as: UTF8.self) } }

    /// The documents as the reader has them now.
    var documents: [String: String] {
        var documents: [String: String] = [:]
        for (_, changes) in self.rounds {
            if changes.isWhole { documents = [:] }
            for change in changes.documents { documents[change.topic] = change.value.map { String(decoding: $0, as: UTF8.self) } }
        }
        return documents
    }
}
