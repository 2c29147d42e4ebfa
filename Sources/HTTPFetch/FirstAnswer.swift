/// The first answer to a question; later ones are dropped.
///
/// For work that cannot be cancelled: the caller continues at the limit or when it is cancelled, and the work ends by itself.
package enum FirstAnswer<Value: Sendable> {
    /// Performs the work and returns its value, unless the limit or a cancellation of the caller comes first.
    ///
    /// - Parameters:
    ///   - limit: the time limit; `nil` waits until the end of the work.
    ///   - late: the value at the limit.
    ///   - cancelled: the value for a caller that is cancelled.
    ///   - work: cancelled when its value is no longer needed.
    package static func of(
        within limit: Duration?, late: Value, cancelled: Value, _ work: @escaping @Sendable () async -> Value
    ) async -> Value {
        let (answers, answer) = AsyncStream<Value>.makeStream(bufferingPolicy: .bufferingOldest(1))
        // Not child tasks of the caller, which would wait for their end.
        let task = Task { answer.yield(await work()) }
        let alarm = limit.map { limit in
            Task {
                do { try await Task.sleep(for: limit) } catch { return }
                answer.yield(late)
            }
        }
        defer {
            task.cancel()
            alarm?.cancel()
        }
        return await answers.first { _ in true } ?? cancelled
    }
}
