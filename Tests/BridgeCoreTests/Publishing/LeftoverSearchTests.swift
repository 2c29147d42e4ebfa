import CastModels
import Testing

@testable import BridgeCore

@Suite("The search for leftovers")
struct LeftoverSearchTests {
    private let start = MonotonicTime(nanoseconds: 0)

    /// Goes to the end; `broker` has what is kept below each filter of a step.
    private func found(_ broker: [(topic: String, payload: String)], slugs: Set<String> = ["tv"], held: Set<String> = []) -> [String] {
        var search = LeftoverSearch(
            topics: TopicTree(base: "base"), instance: "home", names: ["info", "state", "status/volume", "status/player", "availability"])
        var now = self.start
        var action = search.begin()
        #expect(action == .askForCommands)
        var steps: [[String]] = []
        while action != .finished {
            let filters = search.topicFilters
            if case .subscribe(let wanted) = action { #expect(wanted == filters) }
            steps.append(filters)
            #expect(search.deadline == nil, "the broker has not answered yet")
            search.subscribed(now: now)
            for (topic, payload) in broker {
                let isCommand = topic.contains("/set/") || topic.contains("/cmd")
                let isOfStep = isCommand ? filters.isEmpty : filters.contains { Self.matches(topic, $0) }
                guard isOfStep else { continue }
                let isTaken = search.received(topic: topic, payload: Array(payload.utf8), isCommand: isCommand, now: now)
                #expect(isTaken == !topic.hasPrefix("base/client/"), "\(topic)")
            }
            let early = search.wake(now: now)
            #expect(early == .none)
            now = now + .seconds(1)
            action = search.wake(now: now)
        }
        #expect(steps == [[], ["base/+/info"], ["base/+/state"], ["base/+/availability"], ["base/+/status/+"]])
        #expect(search.topicFilters.isEmpty)
        return search.leftovers(slugs: slugs) { held.contains($0) }.map { "\($0.kind.rawValue) \($0.topic)" }
    }

    private static func matches(_ topic: String, _ filter: String) -> Bool {
        let (levels, wanted) = (topic.split(separator: "/"), filter.split(separator: "/"))
        return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0 == $1 }
    }

    @Test("finds retained commands, documents of unknown devices of this instance, and what a known one no longer wants")
    func findings() {
        let gone = #"{"schema":1,"slug":"gone","instance":"home"}"#
        let broker = [
            ("base/tv/set/volume", "5"), ("base/nobody/cmd", "{}"),
            ("base/tv/info", "{}"), ("base/tv/state", "{}"), ("base/tv/status/volume", "5"), ("base/tv/status/player", "off"),
            ("base/gone/info", gone), ("base/gone/availability", "offline"), ("base/gone/status/volume", "7"),
            ("base/theirs/info", #"{"schema":1,"slug":"theirs","instance":"other"}"#), ("base/theirs/state", "{}"),
            ("base/strange/info", "text"), ("base/client/info", gone),
        ]
        #expect(
            self.found(broker, held: ["base/tv/info", "base/tv/state", "base/tv/status/volume"]) == [
                "command base/nobody/cmd", "command base/tv/set/volume",
                "document base/gone/info", "document base/gone/status/volume", "document base/gone/availability",
                "document base/tv/status/player",
            ])
    }

    @Test("finds nothing on a tidy broker")
    func tidy() {
        #expect(self.found([("base/tv/info", "{}")], held: ["base/tv/info"]).isEmpty)
    }

    @Test("ends a step after ten seconds, however much comes")
    func limit() {
        var search = LeftoverSearch(topics: TopicTree(base: "base"), instance: "home", names: ["info"])
        _ = search.begin()
        search.subscribed(now: self.start)
        for step in 1...40 {
            let now = self.start + .milliseconds(Int64(step) * 300)
            _ = search.received(topic: "base/tv/set/x\(step)", payload: [1], isCommand: true, now: now)
            guard step * 300 < 10_000 else { break }
            let early = search.wake(now: now)
            #expect(early == .none)
        }
        #expect(search.deadline == self.start + .seconds(10))
        let action = search.wake(now: self.start + .seconds(10))
        #expect(action == .subscribe(["base/+/info"]))
    }

    @Test("takes nothing before it begins, and no live message for its own")
    func others() {
        var search = LeftoverSearch(topics: TopicTree(base: "base"), instance: "home", names: ["info"])
        let isTakenBefore = search.received(topic: "base/tv/set/volume", payload: [1], isCommand: true, now: self.start)
        _ = search.begin()
        let isTakenEarly = search.received(topic: "base/tv/info", payload: [1], isCommand: false, now: self.start)
        #expect(!isTakenBefore && !isTakenEarly)
    }
}
