import CastModels
import CastProtocol
import CastTestSupport
import Testing

@testable import CastSender

@Suite struct RawMessageTests {
    private static func world() async throws -> (FakeReceiver, SupervisorWorld, Task<Void, Never>, CastSession) {
        let receiver = FakeReceiver { state in
            state.application = FakeReceiver.Application()
            state.media = FakeReceiver.Media(sessionID: 7, time: 100)
        }
        let (world, task) = await SupervisorWorld.connected(to: receiver)
        return (receiver, world, task, try await world.session())
    }

    @Test(
        "a message of the media namespace goes out as it is; what it lacks is added, and its number is ours",
        arguments: [
            (["type": "PAUSE", "requestId": 1, "mood": "calm"], "mediaSessionId", 7),
            (["type": "PAUSE", "mediaSessionId": 9], "mediaSessionId", 9),
            (["type": "GET_STATUS", "options": 1], "mediaSessionId", nil),
            (["type": "LOAD", "media": ["contentId": "http://h/x"]], "sessionId", "session-1"),
        ] as [(JSONObject, String, JSONValue?)])
    func media(message: JSONObject, key: String, value: JSONValue?) async throws {
        let (receiver, world, task, session) = try await Self.world()
        receiver.set {
            $0.script = { entry in
                guard entry.namespace == CastNamespace.media, entry.body["type"] == message["type"] else { return nil }
                let id = entry.body["requestId"]?.intValue ?? 0
                return [("", #"{"type":"MEDIA_STATUS","requestId":\#(id),"status":[],"extra":"kept"}"#)]
            }
        }
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.sendMediaMessage(message) }
        }
        let answer = try #require(outcome).value.get()
        #expect(answer["extra"] == "kept")
        let sent = try #require(
            receiver.journal.last { $0.namespace == CastNamespace.media && $0.body["requestId"] == answer["requestId"] })
        #expect(sent.destination == "transport-1")
        #expect(sent.body[key] == value)
        for member in message.members where member.key != "requestId" { #expect(sent.body[member.key] == member.value) }
        #expect(sent.type == message["type"]?.stringValue)
        #expect(sent.body["requestId"] != message["requestId"])
        _ = await world.end(task)
    }

    @Test("a message of the receiver namespace goes to the platform; a STOP without a session stops the running application")
    func receiver() async throws {
        let (receiver, world, task, session) = try await Self.world()
        let outcome = await world.virtual.call {
            await result { () async throws(CastError) in try await session.sendReceiverMessage(["type": "STOP"]) }
        }
        #expect(try #require(outcome).value.get()["type"] == "RECEIVER_STATUS")
        let sent = try #require(receiver.journal.last { $0.type == "STOP" })
        #expect(sent.destination == "receiver-0")
        #expect(sent.body["sessionId"] == "session-1")
        _ = await world.end(task)
    }

    @Test("a refusal has the receiver's reason, and a message without a type is refused before anything is sent")
    func refused() async throws {
        let (receiver, world, task, session) = try await Self.world()
        receiver.set {
            $0.script = { entry in
                guard entry.type == "PAUSE" else { return nil }
                let id = entry.body["requestId"]?.intValue ?? 0
                return [("", #"{"type":"INVALID_REQUEST","requestId":\#(id),"reason":"INVALID_COMMAND"}"#)]
            }
        }
        let refused = await world.virtual.call {
            await result { () async throws(CastError) in _ = try await session.sendMediaMessage(["type": "PAUSE"]) }
        }
        guard case .failure(let error) = try #require(refused).value else {
            Issue.record("nothing was refused")
            return
        }
        #expect(error.reason == "INVALID_COMMAND")

        let count = receiver.journal.count
        for message in [[:], ["type": ""], ["type": 5]] as [JSONObject] {
            let outcome = await world.virtual.call {
                await result { () async throws(CastError) in _ = try await session.sendReceiverMessage(message) }
            }
            guard case .failure(let error) = try #require(outcome).value else {
                Issue.record("sent without a type")
                continue
            }
            #expect(error.argument == "type")
        }
        #expect(receiver.journal.count == count)
        _ = await world.end(task)
    }
}
