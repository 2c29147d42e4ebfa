import BridgeCore
import CastModels
import Testing

private let start = MonotonicTime(nanoseconds: 0)

private func info(_ slug: String, instance: String = "home") -> [UInt8] {
    JSONWriter.bytes(of: ["schema": 1, "slug": .string(slug), "instance": .string(instance)])
}

/// Recognises `found/<name>/config` as ours when the payload is `ours`.
private struct ScriptedEvidence: RetainedEvidence {
    var topicFilter: String { "found/+/config" }

    func isOurs(topic: String, payload: [UInt8]) -> Bool? {
        topic.hasPrefix("found/") ? payload == Array("ours".utf8) : nil
    }
}

@Suite("The scan at the start")
struct StartScanTests {
    private func scan() -> RetainedScan {
        var scan = RetainedScan(
            .start, topics: TopicTree(base: "base"), instance: "home", names: ["state", "info", "availability", "status/volume"],
            evidence: ScriptedEvidence())
        #expect(scan.begin() == .subscribe(["base/+/availability", "base/+/state", "base/+/info", "base/+/ns/+/state", "found/+/config"]))
        #expect(scan.deadline == nil, "the broker has not answered yet")
        scan.subscribed(now: start)
        return scan
    }

    private func receive(
        _ topic: String, _ payload: [UInt8], retain: Bool = true, by scan: inout RetainedScan, at now: MonotonicTime = start
    ) {
        let isTaken = scan.received(topic: topic, payload: payload, retain: retain, isCommand: false, now: now)
        #expect(!isTaken, "every message is for the others, too")
    }

    @Test("finds what this instance left behind, availability last, and nothing that is known, foreign, or without proof")
    func findings() {
        var scan = self.scan()
        let messages: [(String, [UInt8])] = [
            ("base/gone/availability", Array("offline".utf8)), ("base/gone/info", info("gone")),
            ("base/known/info", info("known")),
            ("base/gone/ns/urn:x-cast:a/state", Array("disconnected".utf8)), ("base/gone/ns/urn:x-cast:a/recv", Array("x".utf8)),
            ("base/gone/nz/urn:x-cast:a/state", Array("x".utf8)),
            ("base/other/info", info("other", instance: "garden")), ("base/proofless/state", Array(#"{"schema":1}"#.utf8)),
            ("base/liar/info", info("victim")), ("base/bridge/state", Array("online".utf8)), ("base/broken/info", Array("{".utf8)),
            ("base/noschema/info", Array(#"{"slug":"noschema","instance":"home"}"#.utf8)), ("elsewhere/x/info", info("x")),
            ("base/a/b/info", info("a")), ("found/a/config", Array("ours".utf8)), ("found/b/config", Array("theirs".utf8)),
            ("found/c/config", Array("ours".utf8)),
        ]
        for (topic, payload) in messages { self.receive(topic, payload, by: &scan) }
        self.receive("base/live/info", info("live"), retain: false, by: &scan)
        #expect(scan.wake(now: start + .seconds(2)) == .finished)
        let found = scan.findings(slugs: ["known"], announcements: ["found/c/config"])
        #expect(found.documents.map(\.slug) == ["gone"])
        #expect(
            found.documents.first?.topics == [
                "base/gone/info", "base/gone/ns/urn:x-cast:a/state", "base/gone/state", "base/gone/status/volume", "base/gone/availability",
            ])
        #expect(found.announcements == ["found/a/config"])
        #expect(found.commands == [])
    }

    @Test("looks at 10 000 devices and 10 000 announcements")
    func bounds() {
        var scan = self.scan()
        for number in 0...10_000 {
            self.receive("found/\(number)/config", Array("ours".utf8), by: &scan)
            self.receive("base/device-\(number)/info", info("device-\(number)"), by: &scan)
        }
        _ = scan.wake(now: start + .seconds(2))
        let found = scan.findings(slugs: [])
        #expect(found.announcements.count == 10_000)
        #expect(found.documents.count == 10_000)
    }

    @Test("looks at 10 000 states of namespaces, and only at valid ones")
    func channelStates() {
        var scan = self.scan()
        self.receive("base/gone/info", info("gone"), by: &scan)
        for name in ["x", "urn:x-cast:", "urn:y-cast:a", "urn:x-cast:" + String(repeating: "a", count: 200)] {
            self.receive("base/gone/ns/\(name)/state", [1], by: &scan)
        }
        for number in 0...10_000 { self.receive("base/gone/ns/urn:x-cast:a\(number)/state", [1], by: &scan) }
        self.receive("base/late/info", info("late"), by: &scan)
        _ = scan.wake(now: start + .seconds(2))
        let found = scan.findings(slugs: [])
        let states = found.documents.first?.topics.filter { $0.hasPrefix("base/gone/ns/") } ?? []
        #expect(states.count == 10_000 && states.allSatisfy { $0.hasPrefix("base/gone/ns/urn:x-cast:a") })
        #expect(found.documents.map(\.slug) == ["gone", "late"], "devices have room of their own")
    }

    @Test("ends after two seconds of silence, and after ten in any case")
    func end() {
        var scan = self.scan()
        #expect(scan.deadline == start + .seconds(2))
        #expect(scan.wake(now: start + .milliseconds(1999)) == .none)
        for tenth in 1...120 {
            let topic = tenth.isMultiple(of: 2) ? "base/x/state" : "found/x/config"
            self.receive(topic, [0x7B], by: &scan, at: start + .milliseconds(tenth * 100))
        }
        #expect(scan.deadline == start + .seconds(10))
        #expect(scan.wake(now: start + .seconds(10)) == .finished)
        #expect(scan.findings(slugs: []).isEmpty)
    }

    @Test("counts nothing that arrives before the broker has acknowledged the subscription")
    func early() {
        var scan = RetainedScan(.start, topics: TopicTree(base: "base"), instance: "home", names: ["info"])
        _ = scan.begin()
        self.receive("base/gone/info", info("gone"), by: &scan)
        scan.subscribed(now: start)
        #expect(scan.wake(now: start + .seconds(2)) == .finished)
        #expect(scan.findings(slugs: []).isEmpty)
    }
}

@Suite("The check for lost messages")
struct CheckingScanTests {
    /// - Returns: what is missed, and how many steps it took.
    private func check(_ topics: [String], retained: Set<String>) -> (missing: Set<String>, steps: Int, time: MonotonicTime) {
        var scan = RetainedScan(.checking(topics), topics: TopicTree(base: "base"), instance: "home", names: [])
        var (now, steps) = (start, 0)
        var action = scan.begin()
        while case .subscribe(let filters) = action, steps < 1000 {
            steps += 1
            #expect(filters.count <= 10 && scan.topicFilters == filters)
            for topic in filters where retained.contains(topic) {
                _ = scan.received(topic: topic, payload: [1], retain: true, isCommand: false, now: now)
            }
            scan.subscribed(now: now)
            _ = scan.received(topic: "base/other", payload: [1], retain: true, isCommand: false, now: now)
            now = scan.deadline ?? now
            action = scan.wake(now: now)
        }
        #expect(action == .finished)
        return (scan.missing, steps, now)
    }

    private let topics = (0..<1000).map { "base/d\($0)/state" }

    @Test("finds each topic that is not delivered, in small steps with pauses")
    func missing() {
        let missing: Set<String> = ["base/d5/state", "base/d999/state"]
        let result = self.check(self.topics, retained: Set(self.topics).subtracting(missing))
        #expect(result.missing == missing)
        #expect(result.steps == 100)
        #expect(result.time == start + .milliseconds(98 * 50) + .seconds(2))
    }

    @Test("ends early when everything is lost")
    func everything() {
        let result = self.check(self.topics, retained: [])
        #expect(result.missing == Set(self.topics) && result.steps == 10)
        #expect(self.check(["base/d1/state"], retained: []).missing == ["base/d1/state"])
        #expect(self.check([], retained: []).steps == 0)
    }
}

@Suite("The scan for cleaning")
struct CleaningScanTests {
    /// Goes to the end; `broker` is what is retained below the filters of all steps.
    private func found(_ broker: [(topic: String, payload: String)], slugs: Set<String> = ["tv"], held: Set<String> = []) -> [String] {
        var scan = RetainedScan(
            .cleaning, topics: TopicTree(base: "base"), instance: "home",
            names: ["info", "state", "status/volume", "status/player", "availability"])
        var now = start
        var action = scan.begin()
        #expect(action == .askForCommands)
        var steps: [[String]] = []
        while action != .finished {
            let filters = scan.topicFilters
            if case .subscribe(let wanted) = action { #expect(wanted == filters) }
            steps.append(filters)
            #expect(scan.deadline == nil, "the broker has not answered yet")
            scan.subscribed(now: now)
            for (topic, payload) in broker {
                let isCommand = topic.contains("/set/") || topic.contains("/cmd")
                let isOfStep = isCommand ? filters.isEmpty : filters.contains { Self.matches(topic, $0) }
                guard isOfStep else { continue }
                let isTaken = scan.received(topic: topic, payload: Array(payload.utf8), retain: true, isCommand: isCommand, now: now)
                #expect(isTaken == !topic.hasPrefix("base/client/"), "\(topic)")
            }
            let early = scan.wake(now: now)
            #expect(early == .none)
            now = now + .seconds(1)
            action = scan.wake(now: now)
        }
        #expect(steps == [[], ["base/+/info"], ["base/+/state"], ["base/+/availability"], ["base/+/status/+"], ["base/+/ns/+/state"]])
        #expect(scan.topicFilters.isEmpty)
        let findings = scan.findings(slugs: slugs) { held.contains($0) }
        return findings.commands.map { "command \($0)" } + findings.documents.flatMap(\.topics).map { "document \($0)" }
    }

    private static func matches(_ topic: String, _ filter: String) -> Bool {
        let (levels, wanted) = (topic.split(separator: "/"), filter.split(separator: "/"))
        return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0 == $1 }
    }

    @Test("finds retained commands, documents of unknown devices of this instance, and what a known one no longer wants")
    func findings() {
        let staleInfo = #"{"schema":1,"slug":"gone","instance":"home"}"#
        let broker = [
            ("base/tv/set/volume", "5"), ("base/nobody/cmd", "{}"),
            ("base/tv/info", "{}"), ("base/tv/state", "{}"), ("base/tv/status/volume", "5"), ("base/tv/status/player", "off"),
            ("base/gone/info", staleInfo), ("base/gone/availability", "offline"), ("base/gone/status/volume", "7"),
            ("base/theirs/info", #"{"schema":1,"slug":"theirs","instance":"other"}"#), ("base/theirs/state", "{}"),
            ("base/strange/info", "text"), ("base/client/info", staleInfo),
            ("base/tv/ns/urn:x-cast:a/state", "connected"), ("base/tv/ns/lamp/state", "on"),
        ]
        #expect(
            self.found(broker, held: ["base/tv/info", "base/tv/state", "base/tv/status/volume"]) == [
                "command base/nobody/cmd", "command base/tv/set/volume",
                "document base/gone/info", "document base/gone/status/volume", "document base/gone/availability",
                "document base/tv/ns/urn:x-cast:a/state", "document base/tv/status/player",
            ])
    }

    @Test("finds nothing on a tidy broker")
    func tidy() {
        #expect(self.found([("base/tv/info", "{}")], held: ["base/tv/info"]).isEmpty)
    }

    @Test("looks at 50 000 topics")
    func bounds() {
        var scan = RetainedScan(.cleaning, topics: TopicTree(base: "base"), instance: "home", names: ["info"])
        _ = scan.begin()
        scan.subscribed(now: start)
        for number in 0...50_000 {
            let isTaken = scan.received(topic: "base/tv/set/x\(number)", payload: [1], retain: true, isCommand: true, now: start)
            #expect(isTaken)
        }
        #expect(scan.findings(slugs: []).commands.count == 50_000)
    }

    @Test("ends a step after ten seconds, however much comes")
    func limit() {
        var scan = RetainedScan(.cleaning, topics: TopicTree(base: "base"), instance: "home", names: ["info"])
        _ = scan.begin()
        scan.subscribed(now: start)
        for step in 1...40 {
            let now = start + .milliseconds(Int64(step) * 300)
            _ = scan.received(topic: "base/tv/set/x\(step)", payload: [1], retain: true, isCommand: true, now: now)
            guard step * 300 < 10_000 else { break }
            let early = scan.wake(now: now)
            #expect(early == .none)
        }
        #expect(scan.deadline == start + .seconds(10))
        let action = scan.wake(now: start + .seconds(10))
        #expect(action == .subscribe(["base/+/info"]))
    }

    @Test("takes nothing before it begins, and no live message for its own")
    func others() {
        var scan = RetainedScan(.cleaning, topics: TopicTree(base: "base"), instance: "home", names: ["info"])
        let isTakenBefore = scan.received(topic: "base/tv/set/volume", payload: [1], retain: true, isCommand: true, now: start)
        _ = scan.begin()
        let isTakenEarly = scan.received(topic: "base/tv/info", payload: [1], retain: true, isCommand: false, now: start)
        let isTakenLive = scan.received(topic: "base/tv/set/volume", payload: [1], retain: false, isCommand: true, now: start)
        #expect(!isTakenBefore && !isTakenEarly && !isTakenLive)
    }
}
