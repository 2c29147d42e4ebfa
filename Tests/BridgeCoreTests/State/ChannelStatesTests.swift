import BridgeCore
import CastModels
import Testing

@testable import BridgeCore

@Suite("The states of applications' namespaces")
struct ChannelStatesTests {
    private static func policy(_ patterns: String...) -> NamespacePolicy { NamespacePolicy(patterns.compactMap { GlobPattern($0) }) }

    @Test("begin with what is listed without a wildcard and is allowed")
    func listed() {
        let states = ChannelStates(
            Self.policy("urn:x-cast:b", "urn:x-cast:a", "urn:x-cast:c.*", "urn:x-cast:d?", "urn:x-cast:com.google.cast.tp.heartbeat"))
        #expect(states.all == ["urn:x-cast:a", "urn:x-cast:b"])
        #expect(states.connected.isEmpty)
        #expect(ChannelStates().all.isEmpty && ChannelStates().isOff)
    }

    @Test("follow what the application speaks, and keep what it spoke")
    func follow() {
        var states = ChannelStates(Self.policy("urn:x-cast:a", "urn:x-cast:b.*"))
        #expect(states.update(["urn:x-cast:b.1", "urn:x-cast:z", "urn:x-cast:com.google.cast.media"]) == .values)
        #expect(states.all == ["urn:x-cast:a", "urn:x-cast:b.1"])
        #expect(states.isConnected("urn:x-cast:b.1") && !states.isConnected("urn:x-cast:a"))
        #expect(states.update(["urn:x-cast:b.1"]) == .none)
        #expect(states.update([]) == .values)
        #expect(states.all == ["urn:x-cast:a", "urn:x-cast:b.1"])
        #expect(states.connected.isEmpty)
        #expect(states.update(["urn:x-cast:a"]) == .values)
        #expect(states.connected == ["urn:x-cast:a"])
    }

    @Test("keep 16 connected ones and 16 former ones, the last")
    func bounds() {
        var states = ChannelStates(Self.policy("urn:x-cast:a", "urn:x-cast:b.*"))
        for number in 10..<26 {
            #expect(states.update(["urn:x-cast:b.\(number)"]) == .values)
        }
        #expect(states.update([]) == .values)
        #expect(states.all.count == 17)
        #expect(states.update(["urn:x-cast:b.99"]) == .values)
        #expect(states.update([]) == .topics, "the oldest lost its topic")
        #expect(states.all.count == 17)
        #expect(!states.all.contains("urn:x-cast:b.10") && states.all.contains("urn:x-cast:b.99") && states.all.contains("urn:x-cast:a"))
        let many = (100..<120).map { "urn:x-cast:b.\($0)" }
        _ = states.update(many.reversed())
        #expect(states.connected == Array(many.prefix(16)))
        #expect(states.all.count <= 33)
    }
}
