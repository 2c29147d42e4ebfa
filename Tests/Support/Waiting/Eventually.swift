/// A condition that did not come true in time.
public struct ConditionNotMet: Error, CustomStringConvertible {
    public var description: String

    public init(description: String) { self.description = description }
}

/// Waits until `condition` holds and returns what it gives, looking again every 20 ms.
///
/// The end is generous because it only decides when a broken test gives up; nothing is judged by how long it took.
///
/// - Parameters:
///   - what: the condition in words, for the failure.
///   - condition: gives `nil` while it does not hold.
@discardableResult
public func eventually<Value>(
    _ what: String, within limit: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let value = try await condition() { return value }
        guard ContinuousClock.now < end else { throw ConditionNotMet(description: "not within \(limit): \(what)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}

/// Waits until `condition` is true.
public func eventually(
    _ what: String, within limit: Duration = .seconds(60), isolation: isolated (any Actor)? = #isolation,
    holds condition: () async throws -> Bool
) async throws {
    try await eventually(what, within: limit) { try await condition() ? () : nil }
}
