import BridgeCore
import CastModels
import Testing

@Suite("A device's commands")
struct CommandQueueTests {
    @Test("remembers 256 answered ids, and takes 32 repeats of a running one")
    func idBounds() {
        var fixture = DeviceCommandQueueFixture()
        for number in 0...256 {
            fixture.send(mute, id: .text("id \(number)"))
            fixture.finishLast()
        }
        #expect(fixture.started.count == 257)
        fixture.send(mute, id: .text("id 256"))
        #expect(fixture.started.count == 257, "remembered")
        fixture.send(mute, id: .text("id 0"))
        #expect(fixture.started.count == 258, "forgotten")
        let repeats = (0...32).map { _ in fixture.send(mute, id: .text("id 0")) }
        #expect(repeats.map { fixture.codes($0) } == Array(repeating: [], count: 32) + [[.rateLimited]])
    }

    @Test("run in order, one at a time, and are answered by their own result")
    func order() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(.play)
        fixture.send(.pause)
        fixture.send(.next)
        #expect(fixture.started.map(\.command) == [.play])
        fixture.finishLast()
        #expect(fixture.started.map(\.command) == [.play, .pause])
        fixture.finishLast(CommandResult(.noSession))
        fixture.finishLast()
        #expect((0...2).map { fixture.codes($0) } == [[.done], [.noSession], [.done]])
    }

    @Test("of volume and of reading don't wait for a load, but those of playback do")
    func lanes() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.send(volume(10))
        fixture.send(.get(.state))
        fixture.send(.pause)
        fixture.send(mute)
        #expect(fixture.started.map(\.command) == [load, volume(10), .get(.state)])
        fixture.finish(fixture.started[1].ticket)
        #expect(fixture.started.last?.command == mute)
    }

    @Test("that set volume and position at once keep their place among both")
    func severalProperties() {
        let both = DeviceCommand.set([.volume(.absolute(0.5)), .position(PositionChange(base: .seconds(9)))])
        var fixture = DeviceCommandQueueFixture()
        fixture.send(.play)
        fixture.send(both)
        fixture.send(volume(20))
        #expect(fixture.started.map(\.command) == [.play])
        fixture.finishLast()
        #expect(fixture.started.map(\.command) == [.play, both])
        fixture.finishLast()
        fixture.advance(.seconds(1))
        #expect(fixture.started.last?.command == volume(20))
    }

    @Test("that set the volume are conflated while one is under way: the newest wins, the others are superseded")
    func coalescing() {
        var fixture = DeviceCommandQueueFixture()
        for percent in 0..<50 {
            fixture.send(volume(Double(percent)))
            fixture.advance(.milliseconds(20))
            fixture.finishLast()
        }
        fixture.advance(.seconds(1))
        fixture.finishLast()
        #expect(fixture.started.count <= 10)
        #expect(fixture.started.last?.command == volume(49))
        #expect(fixture.codes(49) == [.done])
        #expect((0..<50).allSatisfy { fixture.codes($0).count == 1 })
        #expect((0..<50).filter { fixture.codes($0) == [.done] }.count == fixture.started.count)
    }

    @Test("of volume are at least 100 ms apart, also when the device is quick")
    func pace() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(volume(1))
        fixture.finishLast()
        fixture.send(volume(2))
        fixture.advance(.milliseconds(99))
        #expect(fixture.started.count == 1)
        fixture.advance(.milliseconds(50))
        #expect(fixture.started.count == 2)
    }

    @Test("that change the volume relatively add up and none is lost, though the device's answer still has the old level")
    func relative() {
        var fixture = DeviceCommandQueueFixture()
        fixture.volume(0.2)
        for _ in 0..<10 {
            fixture.send(volume(by: 5))
            fixture.advance(.milliseconds(30))
            fixture.finishLast()
        }
        fixture.advance(.seconds(2))
        fixture.finishLast()
        #expect(fixture.started.last?.command == volume(70))
        #expect((0..<10).allSatisfy { fixture.codes($0).count == 1 })
    }

    @Test("that change the volume relatively add to an absolute one that still waits")
    func relativeOnPending() {
        var fixture = DeviceCommandQueueFixture()
        fixture.volume(0.9)
        fixture.send(volume(50))
        fixture.send(volume(20))
        fixture.send(volume(by: 5))
        fixture.send(volume(by: -10))
        fixture.finishLast()
        fixture.advance(.seconds(1))
        #expect(fixture.started.last?.command == volume(15))
        #expect(fixture.codes(1) == [.superseded])
        #expect(fixture.codes(2) == [.superseded])
    }

    @Test("that expire soon don't take an older relative change with them")
    func relativeExpiry() {
        var fixture = DeviceCommandQueueFixture()
        fixture.volume(0.2)
        fixture.send(volume(50))
        fixture.send(volume(by: 5))
        fixture.send(volume(by: 10), expiresIn: 1)
        fixture.advance(.seconds(2))
        fixture.finishLast()
        #expect(fixture.codes(2) == [.expired])
        #expect(fixture.started.last?.command == volume(55))
    }

    @Test("in the device's own steps use the step it recommends, or 5 % when it reported none")
    func steps() {
        let up = DeviceCommand.set([.volume(RequestedVolume(steps: 1))])
        var fixture = DeviceCommandQueueFixture()
        fixture.volume(0.3, step: 0.02)
        fixture.send(up)
        #expect(fixture.started.last?.command == volume(32))
        var other = DeviceCommandQueueFixture()
        other.volume(0.98)
        other.send(up)
        #expect(other.started.last?.command == volume(100))
    }

    @Test("that are relative go to the device as they are while its volume is unknown")
    func unknownVolume() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(volume(by: 5))
        #expect(fixture.started.last?.command == volume(by: 5))
    }

    @Test("from other senders count again once our own volume has settled")
    func settled() {
        var fixture = DeviceCommandQueueFixture()
        fixture.volume(0.2)
        fixture.send(volume(50))
        fixture.finishLast()
        fixture.advance(.seconds(2))
        fixture.volume(0.8)
        fixture.send(volume(by: 5))
        #expect(fixture.started.last?.command == volume(85))
    }

    @Test("that seek are conflated, but not across another playback command")
    func seeks() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(.play)
        fixture.send(seek(10))
        fixture.send(seek(by: 30))
        fixture.send(.next)
        fixture.send(seek(5))
        #expect(fixture.codes(1) == [.superseded])
        for _ in 0..<4 {
            fixture.finishLast()
            fixture.advance(.milliseconds(200))
        }
        #expect(fixture.started.map(\.command) == [.play, seek(40), .next, seek(5)])
    }

    @Test("of volume are not conflated across one that sets volume and mute together")
    func noReordering() {
        let both = DeviceCommand.set([.volume(.absolute(0.5)), .muted(.to(true))])
        var fixture = DeviceCommandQueueFixture()
        fixture.send(mute)
        fixture.send(volume(10))
        fixture.send(both)
        fixture.send(volume(20))
        for _ in 0..<4 {
            fixture.finishLast()
            fixture.advance(.milliseconds(200))
        }
        #expect(fixture.started.map(\.command) == [mute, volume(10), both, volume(20)])
    }

    @Test("beyond 32 waiting ones are refused at once, but a value that takes another's place is not")
    func overflow() {
        var fixture = DeviceCommandQueueFixture()
        for _ in 0..<33 { fixture.send(.next) }
        #expect(fixture.answers.isEmpty)
        fixture.send(.next)
        #expect(fixture.codes(33) == [.rateLimited])
        var slider = DeviceCommandQueueFixture()
        for percent in 0..<100 { slider.send(volume(Double(percent))) }
        #expect(!slider.answers.contains { $0.result.code == .rateLimited })
    }

    @Test("for a device that is offline are refused at once; what waits when it goes is refused too, what runs is not")
    func offline() {
        var fixture = DeviceCommandQueueFixture(online: false)
        fixture.send(.play)
        #expect(fixture.codes(0) == [.deviceOffline])
        fixture.online()
        fixture.send(.play)
        fixture.send(.pause)
        fixture.offline()
        #expect(fixture.codes(1).isEmpty)
        #expect(fixture.codes(2) == [.deviceOffline])
        fixture.finishLast(CommandResult(CastError(.networkError)))
        #expect(fixture.codes(1) == [.castError])
    }

    @Test("that get no answer end with timeout, the next one runs, and a late end is ignored")
    func timeout() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(.play)
        fixture.send(.pause)
        fixture.advance(.milliseconds(14_999))
        #expect(fixture.answers.isEmpty)
        fixture.advance(.milliseconds(2))
        #expect(fixture.codes(0) == [.timeout])
        #expect(fixture.abandoned == [fixture.started[0].ticket])
        #expect(fixture.started.last?.command == .pause)
        fixture.finish(fixture.started[0].ticket)
        fixture.finish(fixture.started[1].ticket)
        #expect(fixture.codes(0) == [.timeout])
        #expect(fixture.codes(1) == [.done])
    }

    @Test("have their sender's timeout counted from the arrival, waiting included")
    func ownTimeout() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.send(.pause, timeout: .seconds(2))
        fixture.advance(.seconds(3))
        #expect(fixture.codes(1) == [.timeout])
        #expect(fixture.started.count == 1)
        fixture.send(.get(.state), timeout: .milliseconds(100))
        fixture.advance(.milliseconds(100))
        #expect(fixture.codes(2) == [.timeout])
    }

    @Test("that wait until expires_at has passed are expired, not obeyed")
    func expires() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.send(.next, expiresIn: 5)
        fixture.advance(.seconds(4))
        #expect(fixture.codes(1).isEmpty)
        fixture.advance(.seconds(2))
        #expect(fixture.codes(1) == [.expired])
        #expect(fixture.started.count == 1)
    }

    @Test("never begin more than a minute after they arrived")
    func maximumWait() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.send(.launch(applicationID: "CC1AD845"))
        fixture.advance(.seconds(59))
        fixture.finish(fixture.started[0].ticket)
        fixture.send(.play)
        fixture.advance(.seconds(58))
        #expect(fixture.codes(2).isEmpty)
        fixture.advance(.seconds(3))
        #expect(fixture.codes(2) == [.timeout])
        fixture.advance(.seconds(120))
        #expect(fixture.codes(1) == [.timeout])
    }

    @Test("are all answered when the bridge stops")
    func close() {
        var fixture = DeviceCommandQueueFixture()
        for _ in 0..<5 { fixture.send(.play) }
        fixture.close()
        #expect((0..<5).map { fixture.codes($0) } == [[.castError]] + Array(repeating: [.deviceOffline], count: 4))
        fixture.send(.play)
        #expect(fixture.codes(5) == [.deviceOffline])
    }

    @Test("with a repeated id get the first answer again, as duplicate, for a minute")
    func duplicate() throws {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(volume(by: 5), id: .text("a"))
        fixture.send(volume(by: 5), id: .text("a"))
        #expect(fixture.started.count == 1)
        #expect(fixture.answers.isEmpty)
        fixture.finishLast(.done(["x": 1]))
        #expect(fixture.codes(0) == [.done])
        #expect(fixture.codes(1) == [.duplicate])
        fixture.advance(.seconds(59))
        fixture.send(volume(by: 5), id: .text("a"))
        #expect(fixture.codes(2) == [.duplicate])
        let repeated = try #require(fixture.answers.last)
        #expect(repeated.result.data == ["x": 1])
        #expect(!repeated.result.isError)
        fixture.advance(.seconds(1))
        fixture.send(volume(by: 5), id: .text("a"))
        #expect(fixture.started.count == 2)
    }

    @Test("with the same id as text and as number are two")
    func idTypes() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(.get(.state), id: .text("1"))
        fixture.finishLast()
        fixture.send(.get(.state), id: .number(1))
        #expect(fixture.started.count == 2)
    }

    @Test("that failed are repeated as the failure they were")
    func failedDuplicate() {
        var fixture = DeviceCommandQueueFixture(online: false)
        fixture.send(.play, id: .number(1))
        fixture.online()
        fixture.send(.play, id: .number(1))
        #expect(fixture.codes(1) == [.duplicate])
        #expect(fixture.answers.last?.result.isError == true)
        #expect(fixture.started.isEmpty)
    }
}
