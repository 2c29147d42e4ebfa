import BridgeCore
import CastSender
import EventLoopTiming
import NIOCore

/// The event loop that every part of the bridge and every Cast link share, with both clocks and the ways to do something later.
///
/// The parts are classes without `Sendable`, so the compiler keeps them on the actor that made them, which runs on this loop. Everything
/// that comes from elsewhere (a timer, a task, the MQTT thread) enters through this type.
struct BridgeLoop {
    let eventLoop: any EventLoop
    private let wallClock: @Sendable () -> Timestamp
    private let tasks: LoopTasks
    private let executor: LoopTaskExecutor
    private let present = Turn()

    /// Whether something that entered the bridge is being processed, and what comes at its end.
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

    /// The monotonic clock, which decisions go by.
    var time: MonotonicTime { MonotonicTime(self.eventLoop.now) }

    /// Whether `work` of `turn` is running: `onTurnEnd` follows.
    var isInTurn: Bool { self.present.isOpen }

    /// Has `action` called at the end of each turn.
    func onTurnEnd(_ action: @escaping () -> Void) { self.present.onEnd = action }

    /// Processes what enters the bridge; at the end goes out what it changed.
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
    func deadline(_ action: @escaping () -> Void) -> Deadline {
        let action = NIOLoopBound({ self.turn(action) }, eventLoop: self.eventLoop)
        return Deadline(on: self.eventLoop) { action.value() }
    }

    /// Returns a closure that any thread may call; it calls `body` in a later turn of the loop. Call this on the loop.
    func entrance<Value: Sendable>(_ body: @escaping (Value) -> Void) -> @Sendable (Value) -> Void {
        let body = NIOLoopBound({ value in self.turn { body(value) } }, eventLoop: self.eventLoop)
        return { [eventLoop] value in eventLoop.execute { body.value(value) } }
    }

    /// Starts asynchronous work of a part in a later turn of the loop, behind what was started before. The caller cancels it. Call this on the loop.
    /// - Parameter staysOnLoop: whether actors without an executor of their own run on the loop too, when the work calls them. They must not block.
    func start<Part: AnyObject>(
        _ part: Part, staysOnLoop: Bool = false, _ work: nonisolated(nonsending) @escaping @Sendable (Part) async -> Void
    ) -> Task<Void, Never> {
        let part = NIOLoopBound(part, eventLoop: self.eventLoop)
        if staysOnLoop { return Task(executorPreference: self.executor) { [tasks] in await tasks.run(part, work) } }
        // A task that is created in isolation of the actor is queued on the loop; any other begins on Swift's pool, in no order.
        return self.tasks.assumeIsolated { tasks in Task { await tasks.run(part, work) } }
    }
}

/// Hosts the tasks of the parts on the loop: what they await returns to it.
private actor LoopTasks {
    nonisolated let eventLoop: any EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.eventLoop.executor.asUnownedSerialExecutor() }

    init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func run<Part>(_ part: NIOLoopBound<Part>, _ work: nonisolated(nonsending) @Sendable (Part) async -> Void) async {
        await work(part.value)
    }
}

/// Runs on the loop what Swift would run on its pool. Each continuation resumes there before it returns to its actor: two switches of threads, which cost
/// more than the rest of a command's answer.
private final class LoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // As the loop's actors, so that the job need not switch to them.
        self.eventLoop.execute {
            job.runSynchronously(
                isolatedTo: self.eventLoop.executor.asUnownedSerialExecutor(), taskExecutor: self.asUnownedTaskExecutor())
        }
    }
}

extension Deadline {
    /// Arms the deadline at `time` of the loop's clock; `nil` cancels.
    func set(_ time: MonotonicTime?) { self.arm(at: time.map { .uptimeNanoseconds(UInt64(max(0, $0.nanoseconds))) }) }
}

extension MonotonicTime {
    /// The event loop's own clock.
    init(_ deadline: NIODeadline) { self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds)) }
}
