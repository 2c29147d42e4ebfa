import Testing

@testable import NetworkReach

@Suite struct AddressRaceTests {
    private static func race(_ addresses: [String]) -> AddressRace<String> { AddressRace(addresses, stagger: .milliseconds(250)) }

    private static func describe(_ action: AddressRace<String>.Action) -> String {
        switch action {
        case .connect(let attempt, let address): "connect \(attempt) \(address)"
        case .exhausted: "exhausted"
        case .none: "none"
        }
    }

    @Test("a silent family costs one pause")
    func silentFamily() {
        var race = Self.race(["v4", "v6"])
        #expect(Self.describe(race.start(now: .zero)) == "connect 0 v4")
        #expect(race.deadline == .milliseconds(250))
        #expect(Self.describe(race.tick(now: .milliseconds(249))) == "none")
        #expect(Self.describe(race.tick(now: .milliseconds(250))) == "connect 1 v6")
        #expect(race.deadline == nil)
        #expect(race.succeeded(attempt: 1) == true)
        #expect(race.succeeded(attempt: 0) == false, "a second winner is closed")
    }

    @Test("a refusal starts the next one at once")
    func refusal() {
        var race = Self.race(["a", "b", "c"])
        _ = race.start(now: .zero)
        #expect(Self.describe(race.failed(attempt: 0, now: .milliseconds(10))) == "connect 1 b")
        #expect(race.deadline == .milliseconds(260))
        #expect(Self.describe(race.failed(attempt: 0, now: .milliseconds(20))) == "none", "an attempt fails once")
        #expect(Self.describe(race.failed(attempt: 1, now: .milliseconds(30))) == "connect 2 c")
        #expect(Self.describe(race.failed(attempt: 2, now: .milliseconds(40))) == "exhausted")
    }

    @Test("nothing is exhausted while an attempt runs")
    func running() {
        var race = Self.race(["a", "b"])
        _ = race.start(now: .zero)
        _ = race.tick(now: .milliseconds(250))
        #expect(Self.describe(race.failed(attempt: 1, now: .milliseconds(300))) == "none")
        #expect(Self.describe(race.failed(attempt: 0, now: .milliseconds(400))) == "exhausted")
    }

    @Test("addresses that become known later come next")
    func add() {
        var race = Self.race(["a", "b"])
        #expect(race.isUnused)
        _ = race.start(now: .zero)
        #expect(Self.describe(race.add(["new"], now: .milliseconds(100))) == "none")
        #expect(race.deadline == .milliseconds(250))
        #expect(Self.describe(race.tick(now: .milliseconds(250))) == "connect 1 new")
        #expect(Self.describe(race.tick(now: .milliseconds(500))) == "connect 2 b")
        #expect(Self.describe(race.add(["late"], now: .milliseconds(600))) == "none", "the last one has just started")
        #expect(race.deadline == .milliseconds(750))
        #expect(Self.describe(race.add(["later"], now: .seconds(2))) == "connect 3 later")
    }

    @Test("a race that is over stays over")
    func over() {
        var race = Self.race(["a", "b"])
        _ = race.start(now: .zero)
        race.stop()
        #expect(race.deadline == nil)
        #expect(Self.describe(race.tick(now: .seconds(1))) == "none")
        #expect(Self.describe(race.failed(attempt: 0, now: .seconds(1))) == "none")
        #expect(Self.describe(race.add(["c"], now: .seconds(1))) == "none")
        #expect(Self.describe(race.start(now: .seconds(1))) == "none")
        #expect(race.succeeded(attempt: 0) == false)
    }

    @Test("families alternate, repetitions are removed, and there is a limit")
    func alternating() {
        let sixes = (1...9).map { "6-\($0)" }
        func order(_ addresses: [String], _ first: Character) -> [String] { addresses.alternating(limit: 8) { $0.first == first } }
        #expect(order(sixes + ["4-1", "4-2"], "6") == ["6-1", "4-1", "6-2", "4-2", "6-3", "6-4", "6-5", "6-6"])
        #expect(order(sixes.prefix(2) + ["4-1"], "4") == ["4-1", "6-1", "6-2"])
        #expect(order(["4-1", "4-2", "4-1", "6-1"], "4") == ["4-1", "6-1", "4-2"])
        #expect(order([], "4").isEmpty)
    }
}
