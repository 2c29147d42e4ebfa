import EventLoopTiming
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

/// Counts calls; the tests and the loops use one thread at a time.
private final class Calls: Sendable {
    private let times = Mutex<[Int64]>([])

    func add(_ loop: any EventLoop) { self.times.withLock { $0.append(Int64(loop.now.uptimeNanoseconds / 1_000_000_000)) } }

    /// Seconds at which the action ran.
    var seconds: [Int64] { self.times.withLock { $0 } }
}

@Suite struct DeadlineTests {
    private let loop = EmbeddedEventLoop()
    private let calls = Calls()

    private func deadline() -> Deadline {
        let loop = NIOLoopBound(self.loop, eventLoop: self.loop)
        return Deadline(on: self.loop) { [calls] in calls.add(loop.value) }
    }

    @Test("the action runs once, at the armed time")
    func once() {
        let deadline = self.deadline()
        deadline.arm(at: .uptimeNanoseconds(2_000_000_000))
        self.loop.advanceTime(by: .milliseconds(1999))
        #expect(self.calls.seconds.isEmpty)
        #expect(deadline.time == .uptimeNanoseconds(2_000_000_000))
        self.loop.advanceTime(by: .seconds(10))
        #expect(self.calls.seconds == [2])
        #expect(deadline.time == nil)
    }

    @Test("a deadline can be moved to earlier and to later times", arguments: [(5, 3), (3, 5)])
    func moved(from: Int64, to: Int64) {
        let deadline = self.deadline()
        deadline.arm(in: .seconds(from))
        deadline.arm(in: .seconds(to))
        self.loop.advanceTime(by: .seconds(20))
        #expect(self.calls.seconds == [to])
    }

    @Test("one that is pushed away again and again runs when the pushing ends")
    func pushed() {
        let deadline = self.deadline()
        for _ in 0..<10 {
            deadline.arm(in: .seconds(3))
            self.loop.advanceTime(by: .seconds(1))
        }
        self.loop.advanceTime(by: .seconds(20))
        #expect(self.calls.seconds == [12])
    }

    @Test("a cancelled deadline does nothing, and can be armed again")
    func cancelled() {
        let deadline = self.deadline()
        deadline.arm(in: .seconds(1))
        deadline.cancel()
        #expect(deadline.time == nil)
        self.loop.advanceTime(by: .seconds(5))
        deadline.arm(in: .seconds(1))
        deadline.arm(at: nil)
        self.loop.advanceTime(by: .seconds(5))
        #expect(self.calls.seconds.isEmpty)
        deadline.arm(in: .seconds(1))
        self.loop.advanceTime(by: .seconds(5))
        #expect(self.calls.seconds == [11])
    }

    @Test("a time that has passed runs the action in the next turn, not at once")
    func passed() {
        let deadline = self.deadline()
        self.loop.advanceTime(by: .seconds(3))
        deadline.arm(at: .uptimeNanoseconds(0))
        #expect(self.calls.seconds.isEmpty)
        self.loop.run()
        #expect(self.calls.seconds.count == 1)
    }

    @Test("the action may arm its own deadline again")
    func again() {
        let loop = NIOLoopBound(self.loop, eventLoop: self.loop)
        let own = NIOLoopBoundBox<Deadline?>(nil, eventLoop: self.loop)
        own.value = Deadline(on: self.loop) { [calls] in
            calls.add(loop.value)
            if calls.seconds.count < 3 { own.value?.arm(in: .seconds(2)) }
        }
        own.value?.arm(in: .seconds(1))
        self.loop.advanceTime(by: .seconds(20))
        #expect(self.calls.seconds == [1, 3, 5])
        own.value = nil
    }

    @Test("an alarm that the loop had picked when the deadline was moved or cancelled is ignored", arguments: [false, true])
    func late(isMoved: Bool) async throws {
        // A real loop takes all due alarms out of its queue before it runs the first of them.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let calls = Calls()
        let done = loop.makePromise(of: Void.self)
        try await loop.submit {
            let victim = Deadline(on: loop) { calls.add(loop) }
            let bound = NIOLoopBound(victim, eventLoop: loop)
            let time = loop.now + .milliseconds(5)
            loop.scheduleTask(deadline: time) {
                if isMoved { bound.value.arm(in: .hours(1)) } else { bound.value.cancel() }
            }
            victim.arm(at: time)
            loop.scheduleTask(in: .milliseconds(20)) {
                bound.value.cancel()
                done.succeed()
            }
            // Both are due when this turn ends.
            while loop.now < time {}
        }.get()
        try await done.futureResult.get()
        #expect(calls.seconds.isEmpty)
    }

    @Test("shared alarms ring at full quarters of a second, each deadline once, and cancelled or moved ones as if they had their own")
    func shared() {
        let loop = NIOLoopBound(self.loop, eventLoop: self.loop)
        let alarms = SharedAlarms()
        let rung = NIOLoopBoundBox<[(name: String, milliseconds: UInt64)]>([], eventLoop: self.loop)
        func deadline(_ name: String) -> Deadline {
            Deadline(on: self.loop, sharing: alarms) { rung.value.append((name, loop.value.now.uptimeNanoseconds / 1_000_000)) }
        }
        let (first, second, cancelled, later, sooner) = (deadline("a"), deadline("b"), deadline("c"), deadline("d"), deadline("e"))
        first.arm(in: .milliseconds(900))
        second.arm(in: .milliseconds(1000))
        cancelled.arm(in: .milliseconds(800))
        cancelled.cancel()
        later.arm(in: .milliseconds(760))
        later.arm(in: .milliseconds(1260))
        sooner.arm(in: .seconds(5))
        sooner.arm(in: .milliseconds(10))
        self.loop.advanceTime(by: .seconds(20))
        #expect(rung.value.map(\.name) == ["e", "a", "b", "d"])
        #expect(rung.value.map(\.milliseconds) == [250, 1000, 1000, 1500])
        first.arm(in: .milliseconds(100))
        self.loop.advanceTime(by: .seconds(1))
        #expect(rung.value.count == 5, "a deadline can be armed again")
    }

    @Test("a deadline does not keep its owner")
    func owner() async {
        weak var owner: Owner?
        do {
            let loop = NIOAsyncTestingEventLoop()
            let strong = Owner(loop: loop, calls: self.calls)
            owner = strong
            try? await loop.executeInContext { strong.assumeIsolated { $0.deadline.arm(in: .seconds(1)) } }
            await loop.advanceTime(by: .seconds(1))
            #expect(self.calls.seconds == [1])
            try? await loop.executeInContext { strong.assumeIsolated { $0.deadline.arm(in: .seconds(1)) } }
        }
        #expect(owner == nil)
    }
}

private actor Owner {
    private let loop: NIOAsyncTestingEventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.loop.executor.asUnownedSerialExecutor() }
    private let calls: Calls
    lazy var deadline = Deadline(of: self, on: self.loop) { $0.calls.add($0.loop) }

    init(loop: NIOAsyncTestingEventLoop, calls: Calls) {
        self.loop = loop
        self.calls = calls
    }
}
