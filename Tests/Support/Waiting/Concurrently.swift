/// Runs the cases of a test at the same time: for tests with real programs, which wait most of their time.
/// - Throws: the first error, once all cases have ended.
public func concurrently<Case: Sendable>(_ cases: [Case], _ run: @escaping @Sendable (Case) async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
        for one in cases { group.addTask { try await run(one) } }
        try await group.waitForAll()
    }
}
