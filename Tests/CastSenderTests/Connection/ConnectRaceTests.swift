import NIOCore
import Testing

@testable import CastSender

@Suite struct ConnectRaceTests {
    private static func describe(_ action: ConnectRace<String>.Action) -> String {
        switch action {
        case .connect(let attempt, let address, let next):
            "connect \(attempt) \(address)" + (next.map { " next \($0.uptimeNanoseconds / 1_000_000)" } ?? "")
        case .wait(let until): "wait \(until.uptimeNanoseconds / 1_000_000)"
        case .exhausted: "exhausted"
        case .none: "none"
        }
    }

    @Test("a silent family costs a quarter of a second")
    func silentFamily() {
        var race = ConnectRace(addresses: ["v4", "v6"])
        #expect(Self.describe(race.start(now: .seconds(0))) == "connect 0 v4 next 250")
        #expect(Self.describe(race.tick(now: .seconds(0.2))) == "wait 250")
        #expect(Self.describe(race.tick(now: .seconds(0.25))) == "connect 1 v6")
        #expect(race.succeeded(attempt: 1) == true)
        #expect(race.succeeded(attempt: 0) == false, "a second winner is closed")
    }

    @Test("a refusal starts the next one at once")
    func refusal() {
        var race = ConnectRace(addresses: ["a", "b", "c"])
        _ = race.start(now: .seconds(0))
        #expect(Self.describe(race.failed(attempt: 0, now: .seconds(0.01))) == "connect 1 b next 260")
        #expect(Self.describe(race.failed(attempt: 0, now: .seconds(0.02))) == "none", "an attempt fails once")
        #expect(Self.describe(race.failed(attempt: 1, now: .seconds(0.03))) == "connect 2 c")
        #expect(Self.describe(race.failed(attempt: 2, now: .seconds(0.04))) == "exhausted")
    }

    @Test("nothing is exhausted while an attempt runs")
    func running() {
        var race = ConnectRace(addresses: ["a", "b"])
        _ = race.start(now: .seconds(0))
        _ = race.tick(now: .seconds(0.25))
        #expect(Self.describe(race.failed(attempt: 1, now: .seconds(0.3))) == "none")
        #expect(Self.describe(race.failed(attempt: 0, now: .seconds(0.4))) == "exhausted")
    }

    @Test("addresses that become known later come next")
    func add() {
        var race = ConnectRace(addresses: ["a", "b"])
        #expect(race.isUnused)
        _ = race.start(now: .seconds(0))
        #expect(Self.describe(race.add(["new"], now: .seconds(0.1))) == "wait 250")
        #expect(Self.describe(race.tick(now: .seconds(0.25))) == "connect 1 new next 500")
        #expect(Self.describe(race.tick(now: .seconds(0.5))) == "connect 2 b")
        #expect(Self.describe(race.add(["late"], now: .seconds(2))) == "connect 3 late")
    }

    @Test("a race that is over stays over")
    func over() {
        var race = ConnectRace(addresses: ["a", "b"])
        _ = race.start(now: .seconds(0))
        race.stop()
        #expect(Self.describe(race.tick(now: .seconds(1))) == "none")
        #expect(Self.describe(race.failed(attempt: 0, now: .seconds(1))) == "none")
        #expect(Self.describe(race.add(["c"], now: .seconds(1))) == "none")
        #expect(Self.describe(race.start(now: .seconds(1))) == "none")
        #expect(race.succeeded(attempt: 0) == false)
    }

    @Test("families take turns, IPv4 first, newest first, nothing twice")
    func order() throws {
        let addresses = try ["fd00::1", "10.0.0.1", "fd00::2", "10.0.0.2", "10.0.0.1", "10.0.0.3"].map {
            try SocketAddress(ipAddress: $0, port: 8009)
        }
        let order = AddressOrder.interleaved(addresses).map { $0.ipAddress ?? "" }
        #expect(order == ["10.0.0.1", "fd00::1", "10.0.0.2", "fd00::2", "10.0.0.3"])
    }
}
