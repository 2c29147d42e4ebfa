import Glibc
import NIOPosix
import ProcessSpawning
import Testing

@Suite("Tests with hosts of their own, for an ordinary user", .timeLimit(.minutes(5)))
struct OrdinaryUserTests {
    @Test("they pass as root of a user namespace")
    func runsInUserNamespace() async throws {
        // Root has run them directly; a skipped test would count as a failure where none may be.
        guard NetworkNamespace.isExpectedInside else { return }
        var path = [CChar](repeating: 0, count: 4096)
        let length = readlink("/proc/self/exe", &path, path.count)
        try #require(length > 0)
        let program = String(decoding: path.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // A thread of its own, because it waits for the child.
        let status = try await group.next().submit {
            Spawning.wait(
                for:
                    try NetworkNamespace.spawn(
                        [
                            "unshare", "-Urnm", program, "--testing-library", "swift-testing", "--filter", "NamespaceTests", "--filter",
                            "AvahiTests",
                        ]))
        }.get()
        try await group.shutdownGracefully()
        #expect(status == 0, "unshare, or a test inside, failed; its output is above")
    }
}
