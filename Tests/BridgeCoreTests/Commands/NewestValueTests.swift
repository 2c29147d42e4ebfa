import BridgeCore
import CastModels
import Testing

private func rate(_ rate: Double) -> DeviceCommand { .set([.rate(rate)]) }
private func share(_ percent: Double) -> DeviceCommand { .set([.position(PositionChange(base: .percent(percent)))]) }

@Suite("Of values that follow each other")
struct NewestValueTests {
    /// Sends all of them while the first is under way; gives what is started then, and the codes of all.
    private func outcome(_ commands: [DeviceCommand]) -> (last: DeviceCommand?, codes: [[AnswerCode]]) {
        var fixture = DeviceCommandQueueFixture()
        for command in commands { fixture.send(command) }
        #expect(fixture.started.count == 1)
        fixture.finishLast()
        fixture.advance(.seconds(1))
        fixture.finishLast()
        #expect(fixture.started.count == 2)
        return (fixture.started.last?.command, commands.indices.map { fixture.codes($0) })
    }

    @Test("the newest speed counts")
    func rates() {
        let outcome = self.outcome([rate(1), rate(1.25), rate(1.5), rate(0.75)])
        #expect(outcome.last == rate(0.75))
        #expect(outcome.codes == [[.done], [.superseded], [.superseded], [.done]])
    }

    @Test("a share of the duration is a position, and a change adds to it")
    func shares() {
        #expect(self.outcome([seek(5), share(10), share(50)]).last == share(50))
        #expect(self.outcome([seek(5), share(50), seek(7)]).last == seek(7))
        let moved = self.outcome([seek(5), share(50), seek(by: 10), seek(by: -4)]).last
        #expect(moved == .set([.position(PositionChange(base: .percent(50), offset: 6))]))
    }

    @Test("of a group the volume counts as one device's does, with every change in it")
    func groups() {
        let changes = [10.0, 5, -2].map { DeviceCommand.groupVolume(RequestedVolume(points: $0)) }
        let outcome = self.outcome([.groupVolume(.absolute(0.5))] + changes)
        #expect(outcome.last == .groupVolume(RequestedVolume(points: 13)))
        #expect(
            self.outcome([.groupVolume(.absolute(0.5)), changes[0], .groupVolume(.absolute(0.2))]).last == .groupVolume(.absolute(0.2)))
    }

    @Test("a speed is not taken for one that was asked for before a load, or beside something else")
    func order() {
        var fixture = DeviceCommandQueueFixture()
        for command in [rate(1), rate(1.5), load, rate(2)] { fixture.send(command) }
        for _ in 0..<4 {
            fixture.finishLast()
            fixture.advance(.seconds(1))
        }
        #expect(fixture.started.map(\.command) == [rate(1), rate(1.5), load, rate(2)])
        var both = DeviceCommandQueueFixture()
        for command in [rate(1), .set([.repeatMode(.all), .rate(1.5)]), rate(2)] { both.send(command) }
        #expect(both.codes(1).isEmpty, "what sets more than the speed is not replaced")
    }
}
