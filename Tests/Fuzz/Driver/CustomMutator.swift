import CFuzzer

/// The target that this process feeds. libFuzzer's callback can capture nothing, and calls it from the thread that starts it.
nonisolated(unsafe) var chosen: any FuzzTarget.Type = FrameTarget.self

/// libFuzzer calls this for every change. Half of the changes know the target's format, so that they get past its parser.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ maximum: Int, _ seed: UInt32) -> Int {
    var random = MutationRandom(state: UInt64(seed))
    if Bool.random(using: &random),
        let changed = chosen.changed(Array(UnsafeBufferPointer(start: data, count: size)), by: &random), !changed.isEmpty,
        changed.count <= maximum
    {
        for (index, byte) in changed.enumerated() { data[index] = byte }
        return changed.count
    }
    return LLVMFuzzerMutate(data, size, maximum)
}
