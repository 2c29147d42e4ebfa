import CastModels
import TestSupport
import Testing

@testable import BridgeCore

@Suite("The queue of unverified devices")
struct VerificationQueueTests {
    private static func time(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }

    /// Takes everything that may be tried at a time.
    private static func take(_ queue: inout VerificationQueue, at seconds: Double) -> [Device.ID] {
        var taken: [Device.ID] = []
        while let id = queue.next(now: self.time(seconds)) { taken.append(id) }
        return taken
    }

    private static func filled(_ count: Int) -> VerificationQueue {
        var queue = VerificationQueue()
        for index in 0..<count { queue.add("d\(index)", now: self.time(0)) }
        return queue
    }

    @Test("tries all of a few devices and lets each keep its place")
    func few() {
        var queue = Self.filled(512)
        #expect(Self.take(&queue, at: 0).count == 512)
        #expect(queue.deadline == nil)
        let makesRoom = queue.failed("d7", now: Self.time(1))
        #expect(!makesRoom, "no other device waits for its place")
        queue.add("d7", now: Self.time(1))
        #expect(Self.take(&queue, at: 1).isEmpty && queue.count == 512)
        queue.remove("d7")
        queue.add("d7", now: Self.time(2))
        #expect(Self.take(&queue, at: 2) == ["d7"])
    }

    @Test("tries 512 of many, those first that were never tried, and each failed one again after the pause")
    func many() {
        var queue = Self.filled(514)
        let first = Self.take(&queue, at: 0)
        #expect(first == (0..<512).map { "d\($0)" })
        let makeRoom = ["d0", "d1", "d2"].enumerated().map { queue.failed($1, now: Self.time(Double($0 + 1))) }
        #expect(makeRoom == [true, true, true])
        #expect(Self.take(&queue, at: 3) == ["d512", "d513"])
        #expect(queue.deadline == Self.time(21))
        #expect(Self.take(&queue, at: 20.9).isEmpty)
        #expect(Self.take(&queue, at: 21) == ["d0"])
        #expect(queue.deadline == nil, "every place is taken")
        let makesRoom = queue.failed("d1", now: Self.time(22))
        #expect(!makesRoom, "it is not tried")
        queue.remove("d1")
        queue.remove("d5")
        #expect(Self.take(&queue, at: 22).isEmpty)
        #expect(queue.deadline == Self.time(23))
        #expect(Self.take(&queue, at: 23) == ["d2"])
        #expect(queue.count == 512)
    }

    @Test("has room for 4 096 devices")
    func full() {
        var queue = Self.filled(5000)
        #expect(queue.count == 4096 && !queue.contains("d4096"))
        queue.remove("d0")
        queue.add("d4096", now: Self.time(1))
        #expect(queue.contains("d4096"))
    }

    @Test("has room for 4 096 excluded devices, which take no place of the others")
    func excluded() {
        var queue = VerificationQueue()
        for index in 0..<4096 {
            queue.add("d\(index)", now: Self.time(0))
            #expect(queue.next(now: Self.time(0)) == "d\(index)")
            let isExcluded = queue.exclude("d\(index)")
            #expect(isExcluded && queue.isExcluded("d\(index)"))
        }
        #expect(queue.count == 0 && queue.excludedCount == 4096)
        for index in 0..<5000 { queue.add("n\(index)", now: Self.time(1)) }
        #expect(queue.count == 4096 && Self.take(&queue, at: 1).count == 512)
        // One more than there is room for is still tried; its caller removes it.
        let isOneMoreExcluded = queue.exclude("n0")
        #expect(!isOneMoreExcluded && !queue.isExcluded("n0") && queue.excludedCount == 4096)
        queue.remove("d0")
        #expect(queue.excludedCount == 4095 && !queue.contains("d0"))
        let areExcluded = ["n0", "n0", "n600", "other"].map { queue.exclude($0) }
        #expect(areExcluded == [true, false, false, false], "one that is excluded, waits or is unknown can't be excluded")
        #expect(queue.excludedCount == 4096 && queue.count == 4095)
        #expect(Self.take(&queue, at: 1) == ["n512"], "it has made room")
        let makesRoom = queue.failed("n0", now: Self.time(2))
        queue.add("n0", now: Self.time(2))
        #expect(!makesRoom && queue.isExcluded("n0") && queue.count == 4095)
    }

    @Test("tries every device again and again, at most 512 at a time, whatever comes and goes")
    func model() {
        var generator = SeededGenerator(seed: 11)
        var queue = VerificationQueue()
        var tried: Set<Device.ID> = []
        var present: Set<Device.ID> = []
        var lastTrial: [Device.ID: Double] = [:]
        for second in 0..<2000 {
            for _ in 0..<20 {
                let id = "d\(Int.random(in: 0..<900, using: &generator))"
                if present.contains(id), Int.random(in: 0..<20, using: &generator) == 0 {
                    queue.remove(id)
                    present.remove(id)
                    tried.remove(id)
                    lastTrial[id] = nil
                } else {
                    queue.add(id, now: Self.time(Double(second)))
                    if present.insert(id).inserted { lastTrial[id] = Double(second) }
                }
            }
            for id in tried.sorted().prefix(60) where queue.failed(id, now: Self.time(Double(second))) { tried.remove(id) }
            for id in Self.take(&queue, at: Double(second)) {
                #expect(present.contains(id) && tried.insert(id).inserted)
                lastTrial[id] = Double(second)
            }
            #expect(tried.count <= 512 && queue.count == present.count)
        }
        #expect(present.subtracting(tried).allSatisfy { 2000 - (lastTrial[$0] ?? 0) < 120 })
    }
}
