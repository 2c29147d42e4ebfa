import BridgeCore
import CastReceiverSimulator
import NIOCore
import Testing

@testable import Bridge

@Suite("Documents and events beside MQTT", .timeLimit(.minutes(10)))
struct WatchTests {
    private static func withoutTime(_ text: String) -> String { String(decoding: ModelBroker.withoutTime(Array(text.utf8)), as: UTF8.self) }

    @Test(
        "are those of the broker without its plain values, before and after every change",
        arguments: [StatusOptions.Split.none, .basic, .full])
    func sameAsBroker(split: StatusOptions.Split) async throws {
        let world = try await BridgeWorld.settled(devices: 40, split: split)
        let reader = try await Reader(world)
        await world.advance(.seconds(1))
        reader.read()
        try await world.play("http://h/1", duration: 100, 3)
        await world.advance(.seconds(3))
        #expect(reader.rounds.first?.changes.isWhole == true)
        #expect(reader.rounds.dropFirst().allSatisfy { !$0.changes.isWhole })
        let documents = reader.documents
        let held = world.broker.set { $0.retained }.filter { !$0.key.contains("/status/") }
        #expect(Set(documents.keys) == Set(held.keys.map { String($0.dropFirst("cast2mqtt/".count)) }))
        for (topic, message) in held where topic != "cast2mqtt/bridge/health" {
            let document = try #require(documents[String(topic.dropFirst("cast2mqtt/".count))])
            let text = String(decoding: message.payload, as: UTF8.self)
            let isWord = topic.hasSuffix("/availability") || topic.hasSuffix("bridge/state")
            #expect(Self.withoutTime(document) == (isWord ? "\"\(text)\"" : Self.withoutTime(text)))
        }
        #expect(documents["\(world.slug(3))/state"]?.contains(#""player":"playing""#) == true)
        await world.end()
    }

    @Test("what the publisher formed is handed out as it is")
    func asFormed() async throws {
        let world = try await BridgeWorld.settled(split: .basic)
        let reader = try await Reader(world)
        await world.advance(.seconds(2))
        let device = world.devices[0]
        for percent in [30, 40] {
            // The second one waits for the next round, whose time it would bear had it been formed again.
            try await world.act { try device.perform(.volume(.init(level: Double(percent) / 100))) }
            await world.advance(.milliseconds(20), step: .milliseconds(5))
        }
        await world.advance(.milliseconds(100))
        #expect(world.held("state")?.contains(#""percent":40,"#) == true)
        #expect(reader.documents["\(world.slug())/state"] == world.held("state"))
        await world.end()
    }

    @Test("come at once, then 20 times a second, and the last one always")
    func rounds() async throws {
        let world = try await BridgeWorld.settled(split: .none)
        let reader = try await Reader(world)
        try await world.play("http://h/1", duration: 100)
        await world.advance(.seconds(2))
        let earlier = reader.rounds.count
        let device = world.devices[0]
        let start = world.virtual.now
        for number in 1...100 {
            try await world.act {
                try device.perform(.volume(.init(level: Double(number) / 200)))
                try device.perform(number % 2 == 0 ? .resume : .pause)
            }
            await world.advance(.milliseconds(20))
            reader.read()
        }
        await world.advance(.milliseconds(100))
        let rounds = reader.rounds.dropFirst(earlier)
        #expect(rounds.contains { !$0.changes.events.isEmpty })
        #expect(try #require(rounds.first).at - start <= .milliseconds(40))
        #expect((30...42).contains(rounds.count), "\(rounds.count)")
        for (round, next) in zip(rounds, rounds.dropFirst()) { #expect(next.at - round.at >= .milliseconds(40)) }
        #expect(reader.documents["\(world.slug())/state"]?.contains(#""percent":50,"#) == true)
        await world.end()
    }

    @Test("continue without a broker, and report that")
    func withoutBroker() async throws {
        let world = try await BridgeWorld.settled(split: .none)
        let reader = try await Reader(world)
        await world.advance(.seconds(1))
        #expect(reader.documents["bridge/health"]?.contains(#""mqtt":{"connected":true"#) == true)
        try await world.act { world.broker.stop(losingStore: false) }
        await world.advance(.seconds(20))
        try await world.play("http://h/1", duration: 100)
        #expect(reader.documents["bridge/health"]?.contains(#""mqtt":{"connected":false"#) == true)
        #expect(reader.documents["\(world.slug())/state"]?.contains(#""player":"playing""#) == true)
        #expect(reader.events.contains { $0.contains(#""event_type":"media_started""#) })
        await world.end()
    }

    @Test("those of a removed device are removed, those of a renamed one are below its new slug")
    func removedAndRenamed() async throws {
        let world = try await BridgeWorld.settled(devices: 2, split: .none)
        let reader = try await Reader(world)
        await world.advance(.seconds(1))
        let (first, second) = (world.slug(0), world.slug(1))
        try await world.request("device/rename", #"{"device":"\#(first)","slug":"parlour"}"#)
        try await world.request("device/remove", #"{"device":"\#(second)","forget":true}"#)
        await world.advance(.seconds(10))
        let topics = Set(reader.documents.keys.map { String($0.prefix { $0 != "/" }) })
        #expect(topics == ["bridge", "parlour"])
        #expect(reader.documents["parlour/availability"] == "\"online\"")
        #expect(reader.documents["bridge/devices"]?.contains(second) == false)
        let kinds = ["device_renamed", "device_removed"]
        for kind in kinds { #expect(reader.events.filter { $0.contains("\"type\":\"\(kind)\"") }.count == 1) }
        await world.end()
    }

    @Test("go to the newest reader, which gets all of them, and end for the former one")
    func newestReader() async throws {
        let world = try await BridgeWorld.settled(devices: 3, split: .none)
        let first = try await Reader(world)
        await world.advance(.seconds(1))
        try await world.play("http://h/1", duration: 100)
        await world.advance(.seconds(1))
        first.read()
        let second = try await Reader(world)
        #expect(await first.feed.next() == nil)
        await world.advance(.seconds(1))
        #expect(second.rounds.first?.changes.isWhole == true)
        let documents = { (reader: Reader) in reader.documents.filter { $0.key != "bridge/health" }.mapValues(Self.withoutTime) }
        #expect(documents(second) == documents(first))
        try await world.play("http://h/2", duration: 100, 1)
        #expect(second.documents["\(world.slug(1))/state"]?.contains(#""player":"playing""#) == true)
        #expect(second.rounds.dropFirst().allSatisfy { !$0.changes.isWhole })
        await world.end()
    }

    @Test("are not formed without a reader, and end with the reader or the bridge")
    func withoutReader() async throws {
        let world = try await BridgeWorld.settled(split: .none)
        let watch = await world.bridge.watch()
        await world.advance(.seconds(1))
        #expect(await watch.next()?.isWhole == true)
        watch.end()
        await world.advance(.milliseconds(100))
        #expect(await watch.next() == nil)
        #expect(await world.look { $0.reader.isIdle })
        try await world.play("http://h/1", duration: 100)
        #expect(await world.look { $0.reader.isIdle })
        let other = await world.bridge.watch()
        await world.end()
        while await other.next() != nil {}
    }
}
