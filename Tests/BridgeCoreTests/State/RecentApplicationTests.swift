import CastModels
import Testing

@testable import BridgeCore

@Suite("Applications that a device was seen to run")
struct RecentApplicationTests {
    private func application(_ name: String?, _ id: String, isIdleScreen: Bool = false) -> ReceiverApplication {
        ReceiverApplication(applicationID: id, name: name, isIdleScreen: isIdleScreen, sessionID: id, transportID: id)
    }

    private func recent(_ applications: ReceiverApplication...) -> RecentApplications {
        var recent = RecentApplications()
        for application in applications { recent.note(application) }
        return recent
    }

    private func parsed(_ tail: String, _ payload: String, _ recent: RecentApplications) -> DeviceCommand? {
        let message = IncomingMessage(topic: "cast2mqtt/tv/\(tail)", payload: Array(payload.utf8))
        return CommandParser(topics: topics).parse(message, now: parserNow, recent: { $0 == "tv" ? recent : nil }).device
    }

    @Test(
        "are started by the names that they have themselves",
        arguments: ["Disney+", "disney+", " Disney+ ", "DISNEY", "Disney\u{2002}+", "🎵", "Über TV"])
    func resolves(name: String) {
        let recent = self.recent(
            self.application(" Disney+ ", "C3DE6BC2"), self.application("🎵", "AAAA0001"), self.application("Über TV", "AAAA0002"))
        let id = name == "🎵" ? "AAAA0001" : name == "Über TV" ? "AAAA0002" : "C3DE6BC2"
        let launch = DeviceCommand.set([.application(.launch(applicationID: id))])
        #expect(self.parsed("set/app", name, recent) == launch)
        #expect(self.parsed("cmd/launch", name, recent) == .launch(applicationID: id))
        #expect(self.parsed("cmd", #"{"cmd":"launch","args":{"app":"\#(name)"}}"#, recent) == .launch(applicationID: id))
        #expect(self.parsed("set", #"{"app":"\#(name)"}"#, recent) == launch)
    }

    @Test("are distinguished by the spelling if needed, otherwise the newest wins")
    func spelling() {
        let recent = self.recent(self.application("Disney+", "AAAA0001"), self.application("Disney", "AAAA0002"))
        #expect(recent.id(for: "Disney+") == "AAAA0001")
        #expect(recent.id(for: "Disney") == "AAAA0002")
        #expect(recent.id(for: "disney") == "AAAA0002")
        #expect(self.recent(self.application("Radio", "AAAA0001"), self.application("Radio", "AAAA0002")).id(for: "Radio") == "AAAA0002")
    }

    @Test("take no name from a known one, and no id from another")
    func takenNames() {
        let recent = self.recent(self.application("YouTube", "BADBAD00"), self.application("CC1AD845", "BADBAD01"))
        #expect(self.parsed("cmd/launch", "YouTube", recent) == .launch(applicationID: "233637DE"))
        #expect(self.parsed("cmd/launch", "CC1AD845", recent) == .launch(applicationID: "CC1AD845"))
    }

    @Test("are not known to other devices")
    func otherDevices() {
        let recent = self.recent(self.application("Disney+", "C3DE6BC2"))
        let message = IncomingMessage(topic: "cast2mqtt/kitchen/set/app", payload: Array("Disney+".utf8))
        #expect(
            CommandParser(topics: topics).parse(message, now: parserNow, recent: { $0 == "tv" ? recent : nil }).code == .badPayload)
    }

    @Test("are forgotten when too many newer ones follow, and not when they run again")
    func forgotten() {
        var recent = self.recent(self.application("First", "AAAA0000"), self.application("Second", "AAAA0001"))
        for number in 1..<RecentApplications.maximumCount {
            recent.note(self.application("First", "AAAA0000"))
            recent.note(self.application("App \(number)", "BBBB\(number)"))
        }
        #expect(recent.id(for: "First") == "AAAA0000")
        #expect(recent.id(for: "Second") == nil)
    }

    @Test("need a name of ordinary length, and the idle screen is none")
    func ordinaryNames() {
        let recent = self.recent(
            self.application("Backdrop 2", "AAAA0000", isIdleScreen: true), self.application(nil, "AAAA0001"),
            self.application(" ", "AAAA0002"),
            self.application(String(repeating: "x", count: 1001), "AAAA0003"), self.application("No id", ""),
            self.application("Long id", String(repeating: "x", count: 1001)))
        #expect(recent == RecentApplications())
    }

    @Test("are kept while others run, and over an absence")
    func kept() {
        var fixture = StateFixture()
        fixture.connect(media: nil)
        fixture.after(1, .receiverStatus(StateFixture.receiver(self.application("Disney+", "C3DE6BC2"))))
        fixture.after(1, .receiverStatus(StateFixture.receiver(StateFixture.backdrop)))
        fixture.after(1, .linkLost)
        fixture.wait(60)
        #expect(fixture.state.application.recent.id(for: "Disney+") == "C3DE6BC2")
    }
}
