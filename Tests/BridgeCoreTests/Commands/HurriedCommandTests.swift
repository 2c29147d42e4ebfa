import BridgeCore
import CastModels
import Testing

@Suite("A command behind one that the device ignores")
struct HurriedCommandTests {
    private static let rate = DeviceCommand.set([.rate(2)])
    private static let queueLoad = DeviceCommand.queue(.load(QueueLoad(items: [], applicationID: "A")))
    private static let quit = DeviceCommand.set([.application(.quit)])

    @Test(
        "ends a load, running or waiting, when it stops media or application", arguments: [load, queueLoad],
        [DeviceCommand.stop, .quitApp, quit])
    func supersedes(load: DeviceCommand, end: DeviceCommand) {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.send(load)
        fixture.send(end)
        #expect(fixture.codes(0) == [.superseded] && fixture.codes(1) == [.superseded])
        #expect(fixture.abandoned == [fixture.started[0].ticket])
        #expect(fixture.started.map(\.command) == [load, end])
        fixture.finishLast()
        #expect(fixture.codes(2) == [.done])
    }

    @Test("ends a launch when it quits the application, not when it stops media")
    func launch() {
        let launch = DeviceCommand.launch(applicationID: "A")
        var fixture = DeviceCommandQueueFixture()
        fixture.send(launch)
        fixture.send(.stop)
        #expect(fixture.codes(0) == [])
        fixture.send(.quitApp)
        #expect(fixture.codes(0) == [.superseded])
    }

    @Test("ends a launch that waits for a person when it leaves, and waits for any other launch", arguments: ["before", "after", "never"])
    func leave(isAsked: String) {
        let launch = DeviceCommand.launch(applicationID: "A")
        var fixture = DeviceCommandQueueFixture()
        fixture.send(launch)
        if isAsked == "before" { fixture.progress(application: nil, isAsking: true) }
        fixture.send(.leave)
        if isAsked == "after" { fixture.progress(application: nil, isAsking: true) }
        #expect(fixture.codes(0) == (isAsked == "never" ? [] : [.superseded]))
        #expect(fixture.started.map(\.command) == (isAsked == "never" ? [launch] : [launch, .leave]))
    }

    @Test("waits 2 s at most", arguments: [load, queueLoad, rate], [DeviceCommand.pause, .stop, .quitApp])
    func hurries(slow: DeviceCommand, hurried: DeviceCommand) {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(slow)
        fixture.advance(.seconds(1))
        fixture.send(hurried)
        fixture.advance(.milliseconds(1100))
        #expect(fixture.started.map(\.command) == [slow, hurried])
        #expect(fixture.uselessWakes == 0)
        fixture.finishLast()
        #expect(fixture.codes(1) == [.done])
    }

    @Test("waits for a load that shows progress, and 2 s after its last sign")
    func progress() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.progress(application: "s")
        fixture.advance(.seconds(1))
        fixture.progress(isLoading: true, application: "s")
        fixture.send(.pause)
        fixture.advance(.seconds(30))
        #expect(fixture.started.map(\.command) == [load])
        fixture.progress(isLoading: false, application: "s")
        fixture.advance(.milliseconds(1900))
        fixture.progress(isLoading: false, application: "s")
        #expect(fixture.started.map(\.command) == [load])
        fixture.advance(.milliseconds(200))
        #expect(fixture.started.map(\.command) == [load, .pause])
    }

    @Test("of another kind keeps its order")
    func order() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.send(seek(30))
        fixture.send(.next)
        fixture.advance(.seconds(10))
        #expect(fixture.started.map(\.command) == [load])
        fixture.send(.pause)
        fixture.advance(.milliseconds(2100))
        #expect(fixture.started.map(\.command) == [load, seek(30), .next, .pause], "a hurried one hurries those before it")
    }

    @Test("finds room in a full queue when it ends what runs, and every command is answered once")
    func fullQueue() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        for _ in 0..<40 { fixture.send(.next) }
        #expect(fixture.codes(40) == [.rateLimited])
        let last = fixture.send(.stop)
        #expect(fixture.codes(0) == [.superseded])
        #expect(fixture.codes(last) == [])
        for _ in 0..<50 {
            for one in fixture.started { fixture.finish(one.ticket) }
            fixture.advance(.milliseconds(200))
        }
        #expect((0...last).allSatisfy { fixture.codes($0).count == 1 })
    }

    @Test("is done when it ended a load and finds nothing else to end", arguments: [DeviceCommand.stop, .quitApp])
    func nothingElse(end: DeviceCommand) {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.send(end)
        fixture.finishLast(CommandResult(.noSession))
        #expect(fixture.codes(1) == [.done])
    }

    @Test("leaves the other values of a set alone")
    func otherValues() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(.set([.volume(.absolute(0.2)), .application(.launch(applicationID: "A"))]))
        fixture.send(.quitApp)
        #expect(fixture.codes(0) == [])
    }

    @Test("replaces a load that shows no progress when it is a load")
    func replaces() {
        var fixture = DeviceCommandQueueFixture()
        fixture.send(load)
        fixture.send(Self.queueLoad)
        fixture.advance(.milliseconds(1900))
        #expect(fixture.codes(0) == [])
        fixture.advance(.milliseconds(200))
        #expect(fixture.codes(0) == [.superseded])
        #expect(fixture.started.map(\.command) == [load, Self.queueLoad])
    }
}
