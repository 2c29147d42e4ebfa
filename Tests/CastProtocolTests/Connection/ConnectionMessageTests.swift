import CastModels
import Testing

@testable import CastProtocol

@Suite("Connection and heartbeat payloads")
struct ConnectionMessageTests {
    @Test(
        "CONNECT has the long form that every receiver answers",
        arguments: [(VirtualConnectionKind.strong, 0), (.weak, 1), (.invisible, 2)])
    func connect(kind: VirtualConnectionKind, number: Int) throws {
        let request = ConnectRequest(kind: kind, userAgent: "cast2mqtt/1.2", version: "1.2")
        #expect(
            ConnectionMessage.connect(request).text
                == #"{"type":"CONNECT","connType":\#(number),"origin":{},"userAgent":"cast2mqtt/1.2","senderInfo":{"sdkType":2,"version":"1.2","#
                + #""browserVersion":"1.2","platform":6,"systemVersion":"Linux","connectionType":1}}"#)
        #expect(try received(CastNamespace.connection, ConnectionMessage.connect(request).text).content == .connection(.connect(request)))
    }

    static let incoming: [(String, ConnectionMessage)] = [
        (#"{"type":"CONNECT"}"#, .connect(ConnectRequest(kind: .strong, userAgent: "", version: ""))),
        (#"{"type":"CONNECT","connType":2.0,"userAgent":"x"}"#, .connect(ConnectRequest(kind: .invisible, userAgent: "x", version: ""))),
        (#"{"type":"CONNECT","connType":9}"#, .connect(ConnectRequest(kind: .init(rawValue: 9), userAgent: "", version: ""))),
        (#"{"type":"CONNECTED","protocolVersion":3}"#, .connected(protocolVersion: 3)), (#"{"type":"CLOSE"}"#, .close(nil)),
        (#"{"type":"CLOSE","reasonCode":5}"#, .close(.closedBySelf)), (#"{"type":"CLOSE","reasonCode":null}"#, .close(nil)),
        (#"{"type":"CLOSE","reasonCode":"5"}"#, .close(nil)), (#"{"type":"CLOSE","reasonCode":77}"#, .close(.init(rawValue: 77))),
        (#"{"type":"SHAKE_HANDS"}"#, .unknown(type: "SHAKE_HANDS")), (#"{"type":7}"#, .unknown(type: "")), ("{}", .unknown(type: "")),
    ]

    @Test("payloads of the connection namespace are read", arguments: Self.incoming)
    func reads(json: String, message: ConnectionMessage) throws {
        #expect(try received(CastNamespace.connection, json) == ReceivedPayload(content: .connection(message)))
    }

    @Test("CLOSE contains its reason")
    func close() {
        #expect(ConnectionMessage.close(.closedBySelf).text == #"{"type":"CLOSE","reasonCode":5}"#)
        #expect(ConnectionMessage.close(nil).text == #"{"type":"CLOSE"}"#)
    }

    @Test(
        "heartbeats are read and written",
        arguments: [
            (#"{"type":"PING"}"#, HeartbeatMessage.ping), (#"{"type":"PONG"}"#, .pong), (#"{"type":"PUNG"}"#, .unknown(type: "PUNG")),
        ])
    func heartbeat(json: String, message: HeartbeatMessage) throws {
        #expect(try received(CastNamespace.heartbeat, json).content == .heartbeat(message))
        #expect(message.text == json)
    }
}
