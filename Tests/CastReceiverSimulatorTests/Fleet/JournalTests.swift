import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import CastReceiverSimulator

@Suite(.timeLimit(.minutes(5))) struct JournalTests {
    @Test("the journal has every received message, connection and HTTP request, with times that do not decrease")
    func journal() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("journal")
        let configuration = TestFleet.configuration { $0.journalPath = path }
        try await TestFleet.with(configuration) { fleet in
            let sender = try await RawSender.connect(fleet, "sim-001")
            try await sender.handshake()
            sender.send(["type": "GET_STATUS", "requestId": 4], "urn:x-cast:unknown", to: "nobody", from: "me")
            sender.channel.writeAndFlush(CastMessageBinary.message, promise: nil)
            _ = try await sender.ask(["type": "GET_STATUS", "requestId": 5])
            await sender.close()
            _ = try await http("GET /setup/eureka_info?params=name HTTP/1.1", host: configuration.addressBase, port: 8008)
            try await fleet.control("sim-001", .remote(.volume(VolumeChange(level: 0.5))))
            try await eventually("the end of the connection is written") {
                TemporaryDirectory.lines(path).contains { $0["event"] == "disconnect" }
            }
        }
        let lines = TemporaryDirectory.lines(path)
        let expected = ["start", "connect"] + Array(repeating: "message", count: 5) + ["disconnect", "http", "control", "stop"]
        // The end of the connection and the HTTP request have no order between them.
        #expect(lines.compactMap { $0["event"]?.text }.sorted() == expected.sorted())
        let times = lines.compactMap { $0["t_ns"]?.int }
        #expect(times.count == lines.count && times == times.sorted())
        let odd = try #require(lines.first { $0["namespace"] == "urn:x-cast:unknown" })
        #expect(odd["source"] == "me" && odd["destination"] == "nobody" && odd["device"] == "sim-001")
        #expect(odd["payload"] == ["type": "GET_STATUS", "requestId": 4])
        #expect(lines.first { $0["namespace"] == "binary" }?["payload"] == ["bytes": 3])
        #expect(lines.first { $0["event"] == "http" }?["uri"] == "/setup/eureka_info?params=name")
    }
}
