import CastModels

/// Runs `work` to its end even if the caller is cancelled: changes on a device that were begun must then be cleaned up.
func evenIfCancelled(_ work: @escaping @Sendable () async throws(CastError) -> Void) async throws(CastError) {
    // A separate task, so that it is not cancelled with its caller, which waits for it.
    let work = Task<Result<Void, CastError>, Never> {
        do throws(CastError) { return .success(try await work()) } catch { return .failure(error) }
    }
    try await work.value.get()
}
