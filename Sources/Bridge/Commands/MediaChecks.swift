import BridgeCore
import CastMediaCheck
import CastSender
import NIOCore

/// Runs a media check on Swift's pool, whatever its caller runs on: parsing foreign bytes would block the event loop for too long.
package struct MediaChecker: Sendable {
    private let check: @Sendable (MediaInformation, DeviceCapabilities?) async -> MediaCheckReport

    /// - Parameter eventLoopGroup: runs the connections.
    package init(eventLoopGroup: any EventLoopGroup) {
        let check = MediaCheck(eventLoopGroup: eventLoopGroup)
        self.init { media, capabilities in await check.run(media, capabilities: capabilities) }
    }

    /// - Parameter check: takes at most `MediaCheck.defaultLimit`, and ends when it is cancelled.
    init(_ check: @escaping @Sendable (MediaInformation, DeviceCapabilities?) async -> MediaCheckReport) { self.check = check }

    func run(_ media: MediaInformation, for capabilities: DeviceCapabilities?) async -> MediaCheckReport {
        let task = Task.detached { await self.check(media, capabilities) }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }
}

/// The media checks of the bridge: those of `check` commands, and those of failed loads, whose answers wait here.
///
/// A held answer is delivered exactly once: with the findings, or without them when the device leaves or the bridge ends.
final class MediaChecks {
    static let maximumCount = 4

    private let context: BridgeContext
    private let deliver: (CommandAnswer, DeviceAgent) -> Void
    private var held: [Int: Held] = [:]
    private var nextNumber = 0
    /// The number of running checks of `check` commands.
    private var askedFor = 0

    private struct Held {
        let answers: [CommandAnswer]
        let device: DeviceAgent
        var task: Task<Void, Never>?
    }

    init(_ context: BridgeContext, deliver: @escaping (CommandAnswer, DeviceAgent) -> Void) {
        (self.context, self.deliver) = (context, deliver)
    }

    private var hasRoom: Bool { self.held.count + self.askedFor < Self.maximumCount }

    /// - Returns: `nil` while `maximumCount` checks run.
    nonisolated(nonsending) func run(_ media: MediaInformation, for capabilities: DeviceCapabilities?) async -> MediaCheckReport? {
        guard let checker = self.context.program.mediaChecker, self.hasRoom else { return nil }
        self.askedFor += 1
        let report = await checker.run(media, for: capabilities)
        self.askedFor -= 1
        return report
    }

    /// Checks the medium of a load, and delivers its answers afterwards.
    /// - Returns: whether the answers are delivered here; `false` without a checker, an address to check, or room.
    func hold(_ answers: [CommandAnswer], checking media: MediaInformation, of device: DeviceAgent) -> Bool {
        guard let checker = self.context.program.mediaChecker, self.context.settings.commands.checksLoads, self.hasRoom,
            MediaCheck.canCheck(media)
        else { return false }
        let number = self.nextNumber
        self.nextNumber += 1
        self.held[number] = Held(answers: answers, device: device)
        let capabilities = device.state.device.capabilities
        self.held[number]?.task = self.context.loop.start(self) { checks in
            let report = await checker.run(media, for: capabilities)
            checks.context.loop.turn { checks.release(number, report) }
        }
        return true
    }

    /// Delivers the held answers of a device unchanged.
    func dismiss(_ device: DeviceAgent) {
        for (number, held) in self.held where held.device === device {
            held.task?.cancel()
            self.release(number, nil)
        }
    }

    /// Delivers all held answers unchanged.
    func close() {
        for number in self.held.keys.sorted() {
            self.held[number]?.task?.cancel()
            self.release(number, nil)
        }
    }

    /// Cancels the running checks; no answer is delivered afterwards.
    func end() {
        for held in self.held.values { held.task?.cancel() }
        self.held = [:]
    }

    private func release(_ number: Int, _ report: MediaCheckReport?) {
        guard let held = self.held.removeValue(forKey: number) else { return }
        for var answer in held.answers {
            if let report { answer.result = answer.result.adding(report) }
            self.deliver(answer, held.device)
        }
    }
}
