import CastModels

/// Calls a throwing request and gives its end.
package nonisolated(nonsending) func result<Value: Sendable>(
    _ body: nonisolated(nonsending) () async throws(CastError) -> Value
) async -> Result<Value, CastError> {
    do throws(CastError) { return .success(try await body()) } catch { return .failure(error) }
}
