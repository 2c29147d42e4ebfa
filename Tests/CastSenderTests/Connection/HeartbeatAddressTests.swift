import CastModels
import CastProtocol
import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite("The addresses of a heartbeat")
struct HeartbeatAddressTests {
    @Test(
        "every PING is answered, to its source and from the address that it was sent to",
        arguments: [
            ("receiver-0", "sender-0", "sender-0"), ("Tr@n$p0rt-0", "Tr@n$p0rt-0", "Tr@n$p0rt-0"), ("receiver-0", "*", "sender-0"),
            ("transport-9", "sender-other", "sender-other"), ("receiver-0", "", "sender-0"),
        ])
    func ping(source: String, destination: String, answeredFrom: String) async throws {
        let receiver = FakeReceiver()
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        receiver.sendToAll(CastNamespace.heartbeat, from: source, to: destination, #"{"type":"PING"}"#)
        await world.virtual.advance(.milliseconds(10))
        let pongs = receiver.set { state in state.messages.filter { $0.text?.contains("PONG") ?? false } }
        #expect(pongs.map(\.destinationID) == [source])
        #expect(pongs.map(\.sourceID) == [answeredFrom])
        _ = await world.end(task)
    }
}
