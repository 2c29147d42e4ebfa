import Glibc

/// Both ends of a pipe that no child started by `Spawning` inherits.
struct PipeEnds {
    var reading: Int32
    var writing: Int32

    static func open() throws -> PipeEnds {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ConditionNotMet(description: "no pipe: \(String(cString: strerror(errno)))") }
        return PipeEnds(reading: ends[0], writing: ends[1])
    }
}
