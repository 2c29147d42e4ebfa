import BridgeCore
import CastSender
import Testing

@testable import Bridge

@Suite("The relay of applications' messages")
struct ChannelRelayTests {
    @Test("opens allowed namespaces only, and at most 16 of them")
    func wanted() throws {
        let allowed = NamespacePolicy([try #require(GlobPattern("urn:x-cast:org.example.*"))])
        #expect(
            ChannelRelay.wanted(of: ["urn:x-cast:org.example.a", "urn:x-cast:com.google.cast.media"], allowed: allowed)
                == ["urn:x-cast:org.example.a"])
        let many = (10..<27).map { "urn:x-cast:org.example.n\($0)" }
        #expect(ChannelRelay.wanted(of: many.reversed(), allowed: allowed) == Set(many.dropLast()))
    }
}
