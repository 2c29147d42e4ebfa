import CastModels

/// Does work to its end, though the caller is or gets cancelled: what was begun on a device has to be cleaned up then, more than ever.
func evenIfCancelled(_ work: @escaping @Sendable () async throws(CastError) -> Void) async throws(CastError) {
    // A task only for not being cancelled with its caller, who waits for it.
    let work = Task<Result<Void, CastError>, Never> {
        do throws(CastError) { return .success(try await work()) } catch { return .failure(error) }
    }
    try await work.value.get()
}
