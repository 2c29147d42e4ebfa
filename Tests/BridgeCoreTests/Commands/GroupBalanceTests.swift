import BridgeCore
import CastModels
import Testing

@Suite("The balance of a group")
struct GroupBalanceTests {
    private func members(_ levels: [String: Double?]) -> [GroupBalance.Member] {
        levels.sorted { $0.key < $1.key }.map { GroupBalance.Member(id: $0.key, level: $0.value) }
    }

    private func near(_ levels: [String: Double], _ wanted: [String: Double]) -> Bool {
        levels.keys == wanted.keys && levels.allSatisfy { abs($0.value - (wanted[$0.key] ?? 9)) < 0.000_1 }
    }

    @Test("is kept: the average is what was asked for")
    func ratio() {
        var balance = GroupBalance()
        #expect(self.near(balance.levels(after: .absolute(0.6), members: self.members(["a": 0.2, "b": 0.4])), ["a": 0.4, "b": 0.8]))
        #expect(
            self.near(
                balance.levels(after: RequestedVolume(points: -30), members: self.members(["a": 0.4, "b": 0.8])), ["a": 0.2, "b": 0.4]))
    }

    @Test("changes by the group's own step")
    func step() {
        let up = RequestedVolume(steps: 2)
        for (step, level) in [(0.02, 0.44), (nil, 0.5)] as [(Double?, Double)] {
            var balance = GroupBalance()
            #expect(self.near(balance.levels(after: up, step: step, members: self.members(["a": 0.4])), ["a": level]))
        }
    }

    @Test("is kept where the loudest member is as loud as it can be")
    func limit() {
        var balance = GroupBalance()
        #expect(self.near(balance.levels(after: .absolute(1), members: self.members(["a": 0.2, "b": 0.8])), ["a": 0.25, "b": 1]))
        #expect(self.near(balance.levels(after: .absolute(0.5), members: self.members(["a": 0.25, "b": 1])), ["a": 0.2, "b": 0.8]))
    }

    @Test("is kept while a member is at a limit of its own, also when it is asked for again")
    func ownLimit() {
        var balance = GroupBalance()
        func members(_ a: Double, _ b: Double) -> [GroupBalance.Member] {
            [.init(id: "a", level: a, limit: 0.4), .init(id: "b", level: b)]
        }
        #expect(self.near(balance.levels(after: .absolute(0.6), members: members(0.4, 0.2)), ["a": 0.4, "b": 0.4]))
        for b in [0.4, 0.3, 0.3] {
            #expect(self.near(balance.levels(after: .absolute(0.45), members: members(0.4, b)), ["a": 0.4, "b": 0.3]))
        }
        #expect(self.near(balance.levels(after: .absolute(0.3), members: members(0.4, 0.3)), ["a": 0.4, "b": 0.2]))
        // A person who makes it quieter decides on the ratio.
        #expect(self.near(balance.levels(after: .absolute(0.2), members: members(0.2, 0.2)), ["a": 0.2, "b": 0.2]))
    }

    @Test("survives silence, also when another sender silenced the group")
    func throughZero() {
        var balance = GroupBalance()
        #expect(self.near(balance.levels(after: .absolute(0), members: self.members(["a": 0.2, "b": 0.4])), ["a": 0, "b": 0]))
        #expect(self.near(balance.levels(after: .absolute(0.3), members: self.members(["a": 0, "b": 0])), ["a": 0.2, "b": 0.4]))
        var other = GroupBalance()
        other.observe(self.members(["a": 0.2, "b": 0.4]))
        other.observe(self.members(["a": 0, "b": 0]))
        #expect(self.near(other.levels(after: .absolute(0.3), members: self.members(["a": 0, "b": 0])), ["a": 0.2, "b": 0.4]))
    }

    @Test("is not lost to devices that round, or step by step")
    func rounding() {
        var balance = GroupBalance()
        var levels = ["a": 0.3, "b": 0.9, "c": 0.6]
        for target in [0.31, 0.07, 0.011, 0.004, 0, 0.01, 0.5, 0.6] {
            let reported = levels.mapValues { ($0 * 100).rounded() / 100 }
            levels = balance.levels(after: .absolute(target), members: self.members(reported))
        }
        #expect(self.near(levels, ["a": 0.3, "b": 0.9, "c": 0.6]))
    }

    @Test("follows a member whose volume another sender changes, and a new one")
    func changes() {
        var balance = GroupBalance()
        _ = balance.levels(after: .absolute(0.3), members: self.members(["a": 0.2, "b": 0.4]))
        #expect(self.near(balance.levels(after: .absolute(0.2), members: self.members(["a": 0.4, "b": 0.4])), ["a": 0.2, "b": 0.2]))
        #expect(
            self.near(
                balance.levels(after: .absolute(0.4), members: self.members(["a": 0.2, "b": 0.2, "c": 0.2])),
                ["a": 0.4, "b": 0.4, "c": 0.4]))
        #expect(self.near(balance.levels(after: .absolute(0.1), members: self.members(["b": 0.4])), ["b": 0.1]))
    }

    @Test("keeps a member silent that was muted by itself, and raises all when nothing is known")
    func silent() {
        var balance = GroupBalance()
        #expect(self.near(balance.levels(after: .absolute(0.2), members: self.members(["a": 0, "b": 0.2])), ["a": 0, "b": 0.4]))
        var unknown = GroupBalance()
        #expect(self.near(unknown.levels(after: .absolute(0.3), members: self.members(["a": 0, "b": 0])), ["a": 0.3, "b": 0.3]))
        var unreported = GroupBalance()
        #expect(self.near(unreported.levels(after: .absolute(0.3), members: self.members(["a": nil, "b": nil])), ["a": 0.3, "b": 0.3]))
        var none = GroupBalance()
        #expect(none.levels(after: .absolute(0.3), members: []).isEmpty)
    }

    @Test("of a member that did not obey is the reported one")
    func failed() {
        var balance = GroupBalance()
        _ = balance.levels(after: .absolute(0.6), members: self.members(["a": 0.2, "b": 0.4]))
        balance.failed("b")
        #expect(self.near(balance.levels(after: .absolute(0.2), members: self.members(["a": 0.4, "b": 0.4])), ["a": 0.2, "b": 0.2]))
    }
}
