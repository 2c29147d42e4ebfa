import Testing

@testable import CastReceiverSimulator

/// The sabotages that only the network shows.
@Suite(.timeLimit(.minutes(5))) struct NetworkSabotageTests {
    @Test("a frame that is too long or garbage breaks the sender's framing", arguments: [Sabotage.oversizeFrame, .garbageFrame])
    func frames(sabotage: Sabotage) async throws {
        try await TestFleet.with(TestFleet.configuration { $0.settings.sabotages = [sabotage] }) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            sender.send(["type": "CONNECT"], Probe.connection)
            sender.send(["type": "GET_STATUS", "requestId": 1], Probe.receiver)
            _ = try await sender.expect { if case .failed(let text) = $0 { text } else { nil } }
        }
    }
}
