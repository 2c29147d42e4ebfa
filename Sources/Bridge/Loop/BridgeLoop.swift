import BridgeCore
import CastSender
import EventLoopTiming
import NIOCore

/// The event loop that all parts of the bridge and all Cast links share, with both clocks and the ways to schedule work.
///
/// The parts are classes without `Sendable`, so the compiler keeps them on the actor that created them, which runs on this loop. Everything
/// from outside (a timer, a task, the MQTT thread) enters through this type.
struct BridgeLoop {
    let eventLoop: any EventLoop
    private let wallClock: @Sendable () -> Timestamp
    private let tasks: LoopTasks
    private let executor: LoopTaskExecutor
    private let present = Turn()

    /// Whether work that entered the bridge is being processed, and the action at its end.
    private final class Turn {
        var isOpen = false
        var onEnd: () -> Void = {}
    }

    /// - Parameter wallClock: the time of day, for documents only.
    init(_ eventLoop: any EventLoop, wallClock: @escaping @Sendable () -> Timestamp) {
        self.eventLoop = eventLoop
        self.wallClock = wallClock
        self.tasks = LoopTasks(eventLoop: eventLoop)
        self.executor = LoopTaskExecutor(eventLoop)
    }

    /// One reading of both clocks.
    var now: Now { Now(monotonic: self.time, wall: self.wallClock()) }

    /// The monotonic clock, which decisions use.
    var time: MonotonicTime { MonotonicTime(self.eventLoop.now) }

    /// Whether the work of `turn` is running, so that `onTurnEnd` follows.
    var isInTurn: Bool { self.present.isOpen }

    func onTurnEnd(_ action: @escaping () -> Void) { self.present.onEnd = action }

    /// Processes work that enters the bridge; its changes are sent at the end.
    func turn(_ work: () -> Void) {
        if self.present.isOpen { return work() }
        self.present.isOpen = true
        work()
        self.present.isOpen = false
        self.present.onEnd()
    }

    /// Calls `work` in a later turn of the loop. Call it on the loop.
    func later(_ work: @escaping () -> Void) { self.eventLoop.assumeIsolated().execute(work) }

    /// Returns a deadline that calls `action`. The action must not retain the owner of the deadline. Call this on the loop.
    func deadline(_ action: @escaping () -> Void) -> Deadline { Deadline(on: self.eventLoop) { self.turn(action) } }

    /// Returns a closure that any thread may call; it calls `body` in a later turn of the loop. Call this on the loop.
    func entrance<Value: Sendable>(_ body: @escaping (Value) -> Void) -> @Sendable (Value) -> Void {
        let body = NIOLoopBound({ value in self.turn { body(value) } }, eventLoop: self.eventLoop)
        return { [eventLoop] value in eventLoop.execute { body.value(value) } }
    }

    /// Starts asynchronous work of a part in a later turn of the loop, after previously started work. The caller cancels it. Call this on
    /// the loop.
    /// - Parameter staysOnLoop: whether called actors without their own executor also run on the loop. They must not block.
    func start<Part: AnyObject>(
        _ part: Part, staysOnLoop: Bool = false, _ work: nonisolated(nonsending) @escaping @Sendable (Part) async -> Void
    ) -> Task<Void, Never> {
        let part = NIOLoopBound(part, eventLoop: self.eventLoop)
        if staysOnLoop { return Task(executorPreference: self.executor) { [tasks] in await tasks.run(part, work) } }
        // A task that is created in isolation of the actor is queued on the loop; any other starts on Swift's pool, in no particular order.
        return self.tasks.assumeIsolated { tasks in Task { await tasks.run(part, work) } }
    }
}

/// Runs the tasks of the parts on the loop; they return to it after each `await`.
private actor LoopTasks {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func run<Part>(_ part: NIOLoopBound<Part>, _ work: nonisolated(nonsending) @Sendable (Part) async -> Void) async {
        await work(part.value)
    }
}

/// Runs jobs on the loop that Swift would run on its pool. Otherwise each continuation resumes on the pool before it returns to its actor:
/// two thread switches, an eighth of the processor time of a command with its answer.
private final class LoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Isolated to the loop like its actors, so that the job need not switch to them.
        self.eventLoop.execute {
            job.runSynchronously(
                isolatedTo: self.eventLoop.executor.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}

extension Deadline {
    /// Sets the deadline to `time` of the loop's clock; `nil` cancels it.
    func set(_ time: MonotonicTime?) { self.arm(at: time.map { .uptimeNanoseconds(UInt64(max(0, $0.nanoseconds))) }) }
}

extension MonotonicTime {
    /// Creates a time of the event loop's clock.
    init(_ deadline: NIODeadline) { self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds)) }
}
