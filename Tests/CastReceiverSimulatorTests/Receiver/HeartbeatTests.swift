import Testing

@testable import CastReceiverSimulator

@Suite struct HeartbeatTests {
    @Test("PING is answered at once, also while other answers are slow and without a virtual connection")
    func pong() {
        var settings = ReceiverSettings()
        settings.answerDelay = .seconds(30) ... .seconds(30)
        var probe = Probe(settings: settings)
        probe.sent = []
        probe.send(["type": "PING"], Probe.heartbeat, from: "anyone")
        #expect(probe.sent.map(\.type) == ["PONG"])
        #expect(probe.sent.first?.destination == "anyone")
    }

    @Test("pings come every 5 s at the phase of the device, to every socket")
    func phase() {
        var probe = Probe()
        probe.open(socket: 2)
        var pings: [Duration] = []
        for _ in 0..<200 {
            probe.pass(.milliseconds(100), answeringPings: false)
            pings += probe.sent.filter { $0.type == "PING" && $0.socket == 2 }.map(\.at)
            if probe.sent.contains(where: { $0.type == "PING" }) {
                probe.send(["type": "PONG"], Probe.heartbeat)
                probe.send(["type": "PONG"], Probe.heartbeat, socket: 2)
            }
            probe.sent = []
        }
        #expect(pings == [.seconds(2), .seconds(7), .seconds(12), .seconds(17)])
    }

    @Test("a sender that answers no ping is disconnected after three of them; one that sends any message is not")
    func drops() {
        var probe = Probe()
        probe.open(socket: 2)
        probe.connect(socket: 2)
        for _ in 0..<30 {
            probe.pass(.seconds(1), answeringPings: false)
            probe.send(["type": "GET_STATUS", "requestId": 1], Probe.receiver, socket: 2)
        }
        #expect(probe.others == [.close(1)])
    }

    @Test("a suspend of the process does not count as silence of a sender")
    func suspended() {
        var probe = Probe()
        probe.now += .seconds(600)
        probe.take(probe.model.advance(to: probe.now))
        #expect(probe.others.isEmpty)
        probe.pass(.seconds(60))
        #expect(probe.others.isEmpty)
    }

    @Test("nothing happens by itself without a sender")
    func restful() {
        var probe = Probe()
        probe.take(probe.model.closed(1, at: probe.now))
        #expect(probe.model.nextDeadline == nil)
        probe.now = .seconds(1_003)
        probe.open(socket: 5)
        #expect(probe.model.nextDeadline == .seconds(1_007))
    }

    @Test("answers keep the order of the requests whatever their delays")
    func order() {
        var probe = Probe()
        probe.sent = []
        for id in 1...200 { probe.send(["type": "GET_STATUS", "requestId": .integer(id)], Probe.receiver) }
        probe.pass(.milliseconds(51))
        #expect(probe.sent.map { $0.json["requestId"]?.int } == (1...200).map { $0 })
    }

    @Test("a sender that outruns the answers without end is disconnected")
    func flood() {
        var probe = Probe()
        for id in 1...2_000 { probe.send(["type": "GET_STATUS", "requestId": .integer(id)], Probe.receiver) }
        #expect(probe.others.contains(.close(1)))
        #expect(probe.state["sockets"] == 0)
    }

    @Test("one device keeps a bounded number of sockets")
    func manySockets() {
        var probe = Probe()
        for socket in 2...100 { probe.open(socket: socket) }
        #expect(probe.model.sockets.count == SimulatedReceiver.maximumSockets)
        #expect(probe.others.count == 100 - SimulatedReceiver.maximumSockets)
    }
}
