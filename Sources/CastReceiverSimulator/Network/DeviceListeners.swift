import NIOCore

/// The listeners of a device: its Cast server, the port of a mirrored screen and, except for groups, the web servers of `eureka_info`.
///
/// They are opened and closed in turn: the system frees a port only at the end of a close, and a close must not miss a listener that is
/// about to open.
final class DeviceListeners {
    let mirror = MirrorPort()
    private var channels: [any Channel] = []
    private let turns = Turns()

    var isOpen: Bool { !self.channels.isEmpty }

    /// Runs `body`, which may open and close listeners, once earlier calls have ended.
    nonisolated(nonsending) func inTurn<Failure: Error>(
        _ body: nonisolated(nonsending) () async throws(Failure) -> Void
    ) async throws(Failure) { try await self.turns.take(body) }

    func add(_ listener: any Channel) { self.channels.append(listener) }

    nonisolated(nonsending) func close() async {
        let channels = self.channels
        self.channels = []
        for channel in channels { try? await channel.close().get() }
    }

    /// Stops or resumes accepting connections; the kernel accepts them in any case.
    nonisolated(nonsending) func setAccepting(_ accepts: Bool) async {
        for channel in self.channels {
            try? await channel.setOption(.autoRead, value: accepts).get()
            if accepts { channel.read() }
        }
    }
}

/// Runs the asynchronous work of one actor piece by piece, in the order of the calls.
final class Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    nonisolated(nonsending) func take<Value, Failure: Error>(
        _ body: nonisolated(nonsending) () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if self.isTaken { await withCheckedContinuation { self.waiting.append($0) } }
        self.isTaken = true
        defer { if self.waiting.isEmpty { self.isTaken = false } else { self.waiting.removeFirst().resume() } }
        return try await body()
    }
}
