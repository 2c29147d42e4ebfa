import CastTestSupport
import NIOCore
import Testing

@testable import CastSender

@Suite struct ActiveScanTests {
    @Test("an active scan asks every 15 s, a passive one never, and it can be changed while it runs")
    func asks() async {
        let virtual = VirtualLoop()
        let scan = ActiveScan(isPassive: StateSource(true))
        let times = Locked<[Int64]>([])
        let loop = virtual.loop
        let task = await virtual.start {
            await scan.run(on: loop) { times.value += [Int64(loop.now.uptimeNanoseconds / 1_000_000_000)] }
        }
        func pass(_ seconds: Int, until count: Int = .max) async {
            for _ in 0..<seconds where times.value.count < count {
                await virtual.advance(.seconds(1))
                for _ in 0..<50 { await Task.yield() }
                await virtual.loop.run()
            }
        }
        await pass(100)
        #expect(times.value.isEmpty)
        scan.isPassive.set(false)
        // How soon the loop's task gets its turn is the machine's affair; it never asks too soon.
        await pass(10_000, until: 4)
        #expect(times.value.count == 4)
        #expect(zip(times.value, times.value.dropFirst()).allSatisfy { $1 - $0 >= 15 })
        scan.isPassive.set(true)
        await pass(100)
        #expect(times.value.count == 4)
        scan.isPassive.set(false)
        await pass(10_000, until: 5)
        #expect(times.value.count == 5)
        task.cancel()
        await task.value
    }
}
