import CastModels
import NIOCore
import Testing

@testable import CastSender

@Suite struct DeviceInquiryTests {
    private static func device(_ id: String, st: String = "0", port: Int = 8009) -> Device {
        Device(
            id: id, friendlyName: id, endpoints: [DeviceEndpoint(host: "10.0.0.1", port: port)], unknownText: ["st": st])
    }

    private static func answer(_ availability: [String: ApplicationAvailability] = [:], _ namespaces: Set<String> = [])
        -> DeviceInquiry.Answer
    {
        DeviceInquiry.Answer(availability: availability, namespaces: namespaces)
    }

    private static let criteria: [(DiscoveryCriteria, DeviceInquiry.Answer, Bool)] = [
        (DiscoveryCriteria(applicationIDs: ["A"]), answer(["A": .available]), true),
        (DiscoveryCriteria(applicationIDs: ["A"]), answer(["A": .unavailable]), false),
        (DiscoveryCriteria(applicationIDs: ["A"]), answer([:]), false),
        (DiscoveryCriteria(applicationIDs: ["A", "B"]), answer(["A": .unavailable, "B": .available]), true),
        (DiscoveryCriteria(namespaces: ["urn:x-cast:n"]), answer([:], ["urn:x-cast:n", "urn:x-cast:m"]), true),
        (DiscoveryCriteria(namespaces: ["urn:x-cast:n", "urn:x-cast:o"]), answer([:], ["urn:x-cast:n"]), false),
        (DiscoveryCriteria(applicationIDs: ["A"], namespaces: ["urn:x-cast:n"]), answer(["A": .available], []), false),
        (DiscoveryCriteria(applicationIDs: ["A"], namespaces: ["urn:x-cast:n"]), answer(["A": .available], ["urn:x-cast:n"]), true),
    ]

    @Test("the answers decide", arguments: criteria)
    func decides(criteria: DiscoveryCriteria, answer: DeviceInquiry.Answer, isWanted: Bool) {
        var inquiry = DeviceInquiry(criteria: criteria)
        inquiry.seen(Self.device("1"), now: .seconds(0))
        #expect(!inquiry.isWanted("1"))
        let asked = [inquiry.next(now: .seconds(0))?.id, inquiry.next(now: .seconds(0))?.id]
        #expect(asked == ["1", nil])
        inquiry.answered("1", answer, now: .seconds(1))
        #expect(inquiry.isWanted("1") == isWanted)
        inquiry.seen(Self.device("1"), now: .seconds(2))
        #expect(inquiry.isWanted("1") == isWanted)
        #expect(inquiry.nextDeadline == nil)
    }

    @Test("a device that does not answer is asked again at growing intervals, and at once when it moves")
    func retries() {
        var inquiry = DeviceInquiry(criteria: DiscoveryCriteria(applicationIDs: ["A"]))
        var now = NIODeadline.seconds(0)
        inquiry.seen(Self.device("1"), now: now)
        var pauses: [Int64] = []
        for _ in 0..<9 {
            _ = inquiry.next(now: now)
            inquiry.answered("1", nil, now: now)
            #expect(!inquiry.isWanted("1"))
            let next = inquiry.nextDeadline ?? now
            pauses.append((next - now).nanoseconds / 1_000_000_000)
            now = next
        }
        #expect(pauses == [15, 30, 60, 120, 240, 480, 600, 600, 600])
        _ = inquiry.next(now: now)
        inquiry.answered("1", nil, now: now)
        inquiry.seen(Self.device("1", port: 9), now: now)
        #expect(inquiry.nextDeadline == now)
    }

    @Test("the running application is requested again when the announcement changes; the available ones are not")
    func again() {
        for (criteria, isAskedAgain) in [
            (DiscoveryCriteria(namespaces: ["urn:x-cast:n"]), true), (DiscoveryCriteria(applicationIDs: ["A"]), false),
        ] {
            var inquiry = DeviceInquiry(criteria: criteria)
            let wanted = Self.answer(["A": .available], ["urn:x-cast:n"])
            inquiry.seen(Self.device("1"), now: .seconds(0))
            _ = inquiry.next(now: .seconds(0))
            inquiry.answered("1", wanted, now: .seconds(0))
            #expect(inquiry.isWanted("1"))
            inquiry.seen(Self.device("1", st: "1"), now: .seconds(5))
            #expect(inquiry.isWanted("1"))
            let next = inquiry.next(now: .seconds(5))
            #expect((next != nil) == isAskedAgain)
            // A change during the question causes another one.
            inquiry.seen(Self.device("1", st: "2"), now: .seconds(6))
            inquiry.answered("1", Self.answer(), now: .seconds(7))
            #expect(inquiry.isWanted("1") == !isAskedAgain)
            #expect((inquiry.nextDeadline != nil) == isAskedAgain)
        }
    }

    @Test("an unrequested answer changes nothing")
    func unasked() {
        var inquiry = DeviceInquiry(criteria: DiscoveryCriteria(applicationIDs: ["A"]))
        inquiry.answered("1", Self.answer(["A": .available]), now: .seconds(0))
        inquiry.seen(Self.device("1"), now: .seconds(0))
        inquiry.answered("1", Self.answer(["A": .available]), now: .seconds(0))
        #expect(!inquiry.isWanted("1"))
    }

    @Test("capabilities are compared as announced, and a device without any is not left out")
    func capabilities() {
        let criteria = DiscoveryCriteria(capabilities: [.videoOut, .audioOut])
        #expect(!criteria.needsAnswers)
        for (capabilities, fits) in [
            ([.videoOut, .audioOut, .multizoneGroup], true), ([.audioOut], false), (nil, true),
        ] as [(DeviceCapabilities?, Bool)] {
            #expect(criteria.matches(Device(id: "1", friendlyName: "x", capabilities: capabilities)) == fits)
        }
    }
}
