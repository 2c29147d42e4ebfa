import BridgeCore
import NIOCore
import Testing

@testable import Bridge

@Suite("Leaving", .timeLimit(.minutes(10)))
struct LeavingTests {
    enum Situation: String, CaseIterable, Sendable {
        case settled, noAnswer, connectionsAreRefused, handshakeHangs, brokerAbsent, brokerSilent, subscriptionsHang
    }

    @Test("a graceful shutdown ends soon from any state", arguments: Situation.allCases)
    func bounded(situation: Situation) async throws {
        let world = try BridgeWorld(devices: 5)
        let broker = world.broker
        for device in world.devices {
            switch situation {
            case .noAnswer: device.set(.frozen)
            case .connectionsAreRefused: device.set(.off)
            case .handshakeHangs: device.set(.mute)
            case .settled, .brokerAbsent, .brokerSilent, .subscriptionsHang: break
            }
        }
        broker.set { state in
            state.isUp = situation != .brokerAbsent
            state.acknowledges = situation != .brokerSilent
            state.subscribes = situation != .subscriptionsHang
        }
        try await world.start()
        await world.advance(.seconds(4))
        if situation == .settled { #expect(broker.isOnline && world.areAllAvailable) }
        let took = try #require(await world.leave())
        #expect(took <= .milliseconds(2500))
        switch situation {
        case .settled, .noAnswer, .connectionsAreRefused, .handshakeHangs:
            #expect(broker.text("cast2mqtt/bridge/state") == "offline")
            #expect(broker.journal.last?.topic == "cast2mqtt/bridge/state", "offline is the last word")
        case .brokerAbsent: #expect(broker.journal.isEmpty)
        case .brokerSilent, .subscriptionsHang: break
        }
        await world.end()
    }

    @Test("waiting commands are answered before the bridge ends")
    func answers() async throws {
        let world = try await BridgeWorld.settled()
        let device = world.devices[0]
        device.setAnswerDelay(.seconds(4))
        for number in 0..<5 { try await world.send("cmd", #"{"cmd":"set","id":"l\#(number)","args":{"muted":\#(number % 2 == 0)}}"#) }
        try await world.virtual.wait { device.received("SET_VOLUME") >= 1 }
        let took = try #require(await world.leave())
        #expect(took <= .milliseconds(2500))
        for number in 0..<5 { #expect(world.answers("l\(number)").count == 1) }
        #expect(world.broker.text("cast2mqtt/bridge/state") == "offline")
        #expect(world.broker.journal.last?.topic == "cast2mqtt/bridge/state")
        #expect(device.openConnections == 0)
        await world.end()
    }

    @Test("after the end nothing of the bridge is left on the loop or on the links")
    func nothingLeft() async throws {
        let world = try await BridgeWorld.settled(devices: 3)
        try await world.play("http://h/one", duration: 3000)
        #expect(await world.leave() != nil)
        let count = world.broker.set { $0.publishCount }
        await world.virtual.advance(.minutes(10), step: .seconds(1))
        #expect(world.broker.set { $0.publishCount } == count)
        for device in world.devices { #expect(device.openConnections == 0) }
        await world.end()
    }
}
