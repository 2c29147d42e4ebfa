import BridgeCore
import CastModels
import TestSupport
import Testing

@Suite("Random sequences of a device's commands")
struct CommandQueueModelTests {
    /// One random sequence: any command at any time, ends in any order, losses of the device, passing time.
    @Test("answers every command exactly once and starts none twice or after its end", arguments: 0..<60)
    func exactlyOnce(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var fixture = DeviceCommandQueueFixture(online: Bool.random(using: &generator))
        var open: [CommandQueue.Ticket] = []
        var seen = 0
        for _ in 0..<400 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0..<11:
                let id: CommandID? = Int.random(in: 0..<4, using: &generator) == 0 ? .number(.random(in: 0..<12, using: &generator)) : nil
                let timeout: Duration? =
                    Int.random(in: 0..<6, using: &generator) == 0 ? .milliseconds(.random(in: 1...4000, using: &generator)) : nil
                let expiry: Double? = Int.random(in: 0..<8, using: &generator) == 0 ? .random(in: 0.001...3, using: &generator) : nil
                fixture.send(Self.command(&generator), id: id, timeout: timeout, expiresIn: expiry)
            case 11..<16:
                if let ticket = open.randomElement(using: &generator) {
                    fixture.finish(ticket, CommandResult(Bool.random(using: &generator) ? .done : .castError))
                    // Ends reported twice must do nothing.
                    if Bool.random(using: &generator) { fixture.finish(ticket) }
                    open.removeAll { $0 == ticket }
                }
            case 16: fixture.advance(.milliseconds(.random(in: 0...20_000, using: &generator)))
            case 17: fixture.advance(.milliseconds(.random(in: 0...300, using: &generator)))
            case 18: Bool.random(using: &generator) ? fixture.offline() : fixture.online()
            default: fixture.volume(.random(in: 0...1, using: &generator), step: 0.05)
            }
            open += fixture.started[seen...].map(\.ticket)
            seen = fixture.started.count
            open.removeAll { fixture.abandoned.contains($0) }
            let limits = CommandQueue.Limits()
            #expect(fixture.commandQueue.count <= limits.maximumWaiting + limits.maximumRunning + 1)
            #expect(open.count <= limits.maximumRunning)
        }
        fixture.close()
        for number in 0..<fixture.sent { #expect(fixture.codes(number).count == 1, "command \(number) of seed \(seed)") }
        #expect(fixture.uselessWakes == 0)
        #expect(Set(fixture.started.map(\.ticket)).count == fixture.started.count)
        let ends = fixture.answers.filter { $0.result.code == .done || $0.result.code == .castError }
        #expect(ends.count <= fixture.started.count)
    }

    /// Relative changes only: whatever the pace of commands and answers, the last level sent is the sum of them all.
    @Test("never loses a relative volume change", arguments: 0..<40)
    func relativeSum(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &+ 1000)
        var fixture = DeviceCommandQueueFixture()
        var level = 0.5
        fixture.volume(level)
        for _ in 0..<60 {
            let points = Double(Int.random(in: -4...4, using: &generator))
            // Stay off the ends, where clamping is right to lose something.
            let change = (0.1...0.9).contains(level + points / 100) ? points : 0
            level += change / 100
            fixture.send(volume(by: change))
            fixture.advance(.milliseconds(.random(in: 0...250, using: &generator)))
            if Bool.random(using: &generator) { fixture.finishLast() }
        }
        for _ in 0..<3 {
            fixture.finishLast()
            fixture.advance(.milliseconds(200))
        }
        guard case .set(let changes) = fixture.started.last?.command, let sent = changes.volume?.base else {
            Issue.record("no volume was sent")
            return
        }
        #expect(abs(sent - level) < 0.0015)
    }

    private static func command(_ generator: inout SeededGenerator) -> DeviceCommand {
        let number = Double(Int.random(in: 0...100, using: &generator))
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return .play
        case 1: return load
        case 2: return .get(.state)
        case 3: return mute
        case 4, 5: return volume(number)
        case 6: return volume(by: number - 50)
        case 7: return seek(number)
        case 8: return seek(by: number - 50)
        case 9: return .set([.volume(.absolute(number / 100)), .muted(.toggle), .position(PositionChange(base: .live))])
        case 10: return .launch(applicationID: "CC1AD845")
        default: return .set([.volume(RequestedVolume(steps: number > 50 ? 1 : -1))])
        }
    }
}
