import Foundation
import TestSupport
import Testing

@Suite("Tests with hosts of their own, for an ordinary user", .timeLimit(.minutes(5)))
struct OrdinaryUserTests {
    @Test("they pass as root of a user namespace")
    func runsInUserNamespace() async throws {
        // Root has run them directly; a skipped test would count as a failure where none may be.
        guard LoopHost.isExpectedInside else { return }
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let command = try await NetworkNamespace.privileged([
            program, "--testing-library", "swift-testing", "--filter", "NamespaceTests", "--filter", "AvahiTests",
        ])
        let tests = try await ChildProcess(command[0], Array(command.dropFirst()))
        #expect(try await tests.ended(within: .seconds(280)) == 0, "\(tests.text)")
    }
}
