import CastModels
import Testing

@testable import CastSender

@Suite struct IdentityCheckTests {
    private static func check(expected: Device.ID? = "aa", isEurekaWanted: Bool = true, isEurekaTrusted: Bool = true) -> IdentityCheck {
        var check = IdentityCheck(expected: expected, isEurekaWanted: isEurekaWanted, isEurekaTrusted: isEurekaTrusted)
        _ = check.start()
        return check
    }

    @Test("eureka_info is asked for when it is wanted", arguments: [(true, 2), (false, 1)])
    func start(isWanted: Bool, count: Int) {
        var check = IdentityCheck(expected: nil, isEurekaWanted: isWanted, isEurekaTrusted: true)
        #expect(check.start().count == count)
        #expect(!check.isSettled)
    }

    @Test("the first id settles it, the second answer adds to it")
    func merge() {
        var check = Self.check()
        let first = check.answered(DeviceInformation(id: "aa", friendlyName: "TV"), to: .deviceInformation)
        #expect(first == .identified(DeviceIdentity(id: "aa", information: DeviceInformation(id: "aa", friendlyName: "TV"))))
        #expect(check.isSettled)
        var more = DeviceInformation(id: "aa")
        more.macAddress = "02:00:00:00:00:01"
        guard case .identified(let identity) = check.answered(more, to: .eurekaInformation) else {
            Issue.record("the second answer should be reported")
            return
        }
        #expect(identity.information.friendlyName == "TV")
        #expect(identity.information.macAddress == "02:00:00:00:00:01")
        #expect(check.source == .deviceInformation)
    }

    @Test("a repeated answer changes nothing")
    func twice() {
        var check = Self.check()
        _ = check.answered(DeviceInformation(id: "aa"), to: .deviceInformation)
        #expect(check.answered(DeviceInformation(id: "bb"), to: .deviceInformation) == .wait)
        #expect(check.identity?.id == "aa")
    }

    @Test("eureka_info is asked for when the first question gives no id")
    func fallback() {
        var check = Self.check(isEurekaWanted: false)
        #expect(check.answered(nil, to: .deviceInformation) == .ask(.eurekaInformation))
        #expect(!check.isSettled)
        #expect(check.answered(DeviceInformation(friendlyName: "no id"), to: .eurekaInformation) == .unknown)
        #expect(check.isSettled)
    }

    @Test("silence to both questions settles it without an id")
    func silence() {
        var check = Self.check()
        #expect(check.answered(nil, to: .eurekaInformation) == .wait)
        #expect(!check.isSettled)
        #expect(check.answered(nil, to: .deviceInformation) == .unknown)
        #expect(check.isSettled)
        #expect(check.identity == nil)
    }

    @Test("an answer that comes too late still identifies, once")
    func late() {
        var check = Self.check(isEurekaWanted: false)
        _ = check.answered(nil, to: .deviceInformation)
        _ = check.answered(nil, to: .eurekaInformation)
        #expect(check.answered(nil, to: .deviceInformation) == .wait)
        #expect(check.answered(DeviceInformation(id: "aa"), to: .deviceInformation) == .identified(DeviceIdentity(id: "aa")))
        #expect(check.answered(DeviceInformation(id: "bb"), to: .deviceInformation) == .wait)
    }

    @Test("behind a group's port eureka_info may confirm, not deny", arguments: [("aa", true), ("leader", false)])
    func group(id: Device.ID, isBelieved: Bool) {
        var check = Self.check(isEurekaTrusted: false)
        _ = check.answered(nil, to: .deviceInformation)
        let outcome = check.answered(DeviceInformation(id: id), to: .eurekaInformation)
        #expect((outcome == .identified(DeviceIdentity(id: id))) == isBelieved)
        #expect(check.isSettled)
    }
}
