import CastModels
import Testing

@testable import CastProtocol

@Suite("Discovery and setup namespaces")
struct DeviceInformationPayloadTests {
    @Test("GET_DEVICE_INFO's answer is read under both of its names", arguments: ["GET_DEVICE_INFO", "DEVICE_INFO"])
    func deviceInformation(type: String) throws {
        let payload = try received(
            CastNamespace.discovery,
            #"{"type":"\#(type)","requestId":4,"deviceId":"AB-12","friendlyName":"Bath","deviceModel":"Nest Mini","deviceCapabilities":4,"x":1}"#
        )
        let information = DeviceInformation(id: "ab12", friendlyName: "Bath", modelName: "Nest Mini", capabilities: .audioOut)
        #expect(payload == ReceivedPayload(requestID: 4, content: .deviceInformation(.information(information))))
    }

    @Test("eureka_info is read, nested as now and flat as once")
    func eureka() throws {
        var information = DeviceInformation(id: "0123ab", friendlyName: "Bath", modelName: "Nest Mini")
        (information.manufacturer, information.macAddress) = ("Google Inc.", "AA:BB")
        (information.castBuildRevision, information.systemBuildNumber) = ("1.56", "309")
        let fields = #""ssdp_udn":"0123-AB","model_name":"Nest Mini","manufacturer":"Google Inc.","mac_address":"AA:BB""#
        let build = #""cast_build_revision":"1.56","system_build_number":"309""#
        let nested = try received(
            CastNamespace.setup,
            #"{"type":"eureka_info","request_id":9,"response_code":200,"response_string":"OK","#
                + #""data":{"name":"Bath","device_info":{\#(fields)},"build_info":{\#(build)}}}"#)
        #expect(nested == ReceivedPayload(requestID: 9, content: .deviceInformation(.information(information))))
        let flat = try received(CastNamespace.setup, #"{"type":"eureka_info","request_id":9,"name":"Bath",\#(fields),\#(build)}"#)
        #expect(flat == nested)
    }

    static let otherAnswers: [(String, DeviceInformationMessage)] = [
        (#"{"type":"eureka_info","request_id":9,"response_code":404,"response_string":"Not found"}"#, .refused(reason: "Not found")),
        (#"{"type":"eureka_info","request_id":9,"response_code":403}"#, .refused(reason: "403")),
        (#"{"type":"INVALID_REQUEST","requestId":9,"reason":"INVALID_COMMAND"}"#, .refused(reason: "INVALID_COMMAND")),
        (#"{"type":"INVALID_REQUEST","requestId":9}"#, .refused(reason: "INVALID_REQUEST")),
        (#"{"type":"GET_DEVICE_INFO","requestId":9}"#, .information(DeviceInformation())),
        (#"{"type":"GET_DEVICE_INFO","deviceId":7,"friendlyName":null,"deviceCapabilities":-1}"#, .information(DeviceInformation())),
        (#"{"type":"get_app_device_id"}"#, .unknown(type: "get_app_device_id")),
    ]

    @Test("refusals and gaps are distinguished", arguments: Self.otherAnswers)
    func others(json: String, message: DeviceInformationMessage) throws {
        #expect(try received(CastNamespace.setup, json).content == .deviceInformation(message))
    }

    @Test("requests are written")
    func requests() {
        #expect(DeviceInformationMessage.getDeviceInformation(requestID: 3) == #"{"type":"GET_DEVICE_INFO","requestId":3}"#)
        #expect(
            DeviceInformationMessage.eurekaInformation(requestID: 3)
                == #"{"type":"eureka_info","request_id":3,"data":{"params":["version","name","build_info","device_info"]}}"#)
    }
}
