import CastModels
import Testing

@testable import BridgeCore
@testable import HomeAssistantDiscovery

@Suite struct OfferedOptionsTests {
    private static let applications = ["Default Media Receiver", "YouTube"]

    private func state(application: String?, tracks: [String]?) -> DeviceState {
        var device = States.idle()
        if let application {
            device.play(application: application, tracks: tracks)
        }
        return device.state
    }

    /// Whether each of the states in turn changes the offers.
    private func changes(_ offers: inout OfferedOptions, _ states: [DeviceState]) -> [Bool] {
        states.map { offers.update(with: OfferedOptions.Source($0), applications: Self.applications) }
    }

    @Test("the tracks of the present medium are offered")
    func tracks() {
        var offers = OfferedOptions()
        let changes = self.changes(&offers, [self.state(application: "YouTube", tracks: ["English", "Deutsch"])])
        #expect(changes == [true])
        #expect(offers.textTracks == ["English", "Deutsch"])
        #expect(offers.application == nil)
    }

    @Test("the tracks stay when the medium ends, so that the next one with the same tracks changes nothing")
    func tracksStay() {
        var offers = OfferedOptions(textTracks: ["English"])
        let changes = self.changes(&offers, [States.idle().state, self.state(application: "YouTube", tracks: ["English"])])
        #expect(changes == [false, false])
    }

    @Test("a medium without tracks offers none")
    func noTracks() {
        var offers = OfferedOptions(textTracks: ["English"])
        let changes = self.changes(&offers, [self.state(application: "YouTube", tracks: [])])
        #expect(changes == [true])
        #expect(offers.textTracks.isEmpty)
    }

    @Test("an application of the user's own is offered as long as no other one came")
    func ownApplication() {
        var offers = OfferedOptions()
        let changes = self.changes(
            &offers,
            [
                self.state(application: "DashCast", tracks: nil), self.state(application: "YouTube", tracks: nil), States.idle().state,
                self.state(application: "Game", tracks: nil),
            ])
        #expect(changes == [true, false, false, true])
        #expect(offers.application == "Game")
    }

    @Test("what the device reports of its volume and applications is compared with the options")
    func reported() {
        var states = States.idle()
        let before = OfferedOptions.Source(states.state)
        states.reduce(.applicationsReported(unavailable: ["CA5E8412"]))
        let after = OfferedOptions.Source(states.state)
        #expect(after.facts != before.facts && after.facts.unavailableApplications == ["CA5E8412"])
        states.reduce(.receiverStatus(ReceiverStatus(volume: DeviceVolume(level: 1, controlType: .fixed))))
        #expect(OfferedOptions.Source(states.state).facts != after.facts)
    }

    @Test(
        "names that Home Assistant takes for something else are not offered",
        arguments: ["None", "NONE", "off", " Off ", "", "  ", "a\u{7}b", String(repeating: "x", count: 256)])
    func unusable(name: String) {
        #expect(OfferedOptions.usable([name]).isEmpty)
    }

    @Test("blanks around names go, doubles go, and there is a bound")
    func cleaned() {
        #expect(OfferedOptions.usable([" English ", "English", "Deutsch\n"]) == ["English", "Deutsch"])
        #expect(OfferedOptions.usable((1...100).map { "Track \($0)" }).count == OfferedOptions.maximumCount)
    }
}
