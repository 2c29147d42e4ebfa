import Testing

@testable import CastReceiverSimulator

@Suite(.timeLimit(.minutes(5))) struct EurekaTests {
    @Test(
        "port 8008 serves eureka_info and refuses host names, other paths and other methods",
        arguments: [
            ("GET /setup/eureka_info?options=detail&params=name,device_info HTTP/1.1", nil, "200 OK"),
            ("GET /setup/eureka_info HTTP/1.1", "", "200 OK"),
            ("GET /setup/eureka_info HTTP/1.1", "living-room.local:8008", "403 Forbidden"),
            ("GET /setup/reboot HTTP/1.1", nil, "404 Not Found"),
            ("POST /setup/eureka_info HTTP/1.1", nil, "405 Method Not Allowed"), ("nonsense", nil, "400 Bad Request"),
        ] as [(String, String?, String)])
    func requests(line: String, header: String?, status: String) async throws {
        let configuration = TestFleet.configuration()
        try await TestFleet.with(configuration) { fleet in
            let answer = try await http(line, host: configuration.addressBase, port: 8008, header: header)
            #expect(answer.contains(status), "\(answer)")
            if status == "200 OK" { #expect(answer.contains(fleet.plan.devices[0].uuid)) }
        }
    }

    @Test("the devices of a group report it, the leader as self, the others with its address")
    func groups() async throws {
        let configuration = TestFleet.configuration(devices: 4, groups: 1)
        try await TestFleet.with(configuration) { fleet in
            let group = fleet.plan.devices[4]
            for (index, member) in group.members.enumerated() {
                let device = try #require(fleet.plan.devices.first { $0.id == member.id })
                let text = try await http("GET /setup/eureka_info?params=multizone HTTP/1.1", host: device.address, port: 8008)
                let body = try #require(JSONTextReader.read(String(text.drop { $0 != "{" })))
                let reported = try #require(body["multizone"]?["groups"]?.elements?.first)
                #expect(reported["uuid"]?.text == group.uuid)
                #expect(reported["elected_leader"]?.text == (index == 0 ? "self" : "\(group.address):\(group.port)"))
                #expect(reported["cast_port"]?.int == group.port)
            }
        }
    }
}
