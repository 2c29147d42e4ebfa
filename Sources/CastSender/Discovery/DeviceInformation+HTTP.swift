@_spi(JSON) import CastModels
import CastProtocol
import HTTPFetch
import NIOCore

extension DeviceInformation {
    /// Reads the identity of a device from its HTTP interface, once, because polling crashes devices.
    /// - Returns: `nil` when the device has no such interface or does not report its identity.
    static func read(
        from endpoint: DeviceEndpoint, on eventLoop: any EventLoop, port: Int = 8008, within limit: Duration = .seconds(3)
    ) async -> DeviceInformation? {
        let host = endpoint.host.contains(":") ? "[\(endpoint.host.replacing("%", with: "%25"))]" : endpoint.host
        var request = HTTPFetchRequest(
            .get, "http://\(host):\(port)/setup/eureka_info?params=version,name,build_info,device_info",
            headers: [.init("Accept", "application/json")], byteLimit: 65_536, timeLimit: limit, connectLimit: limit)
        // Firmware refuses requests whose Host header is not its address.
        request.namesAddress = true
        let response = try? await HTTPFetcher(group: eventLoop, policy: .everything).fetch(request)
        guard let response, response.status == 200, !response.isCut else { return nil }
        return response.body.withUnsafeBytes { body in
            (try? JSONReader.read(body) { $0.objectView.map(DeviceInformation.init(eureka:)) }) ?? nil
        }
    }
}
