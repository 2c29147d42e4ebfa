internal import CMosquitto
import Glibc

extension MosquittoHandle {
    /// - Returns: the packet id that the acknowledgement will carry. The notice of it may come from within this call (QoS 0 does).
    /// Properties are left out over 3.1.1.
    func publish(_ message: MQTTMessage) -> Result<Int32, MosquittoResult> {
        var packetID: Int32 = 0
        let list: OpaquePointer?
        do throws(MosquittoResult) {
            list = self.version == .v5 ? try self.properties.list(for: message.properties) : nil
        } catch {
            return .failure(error)
        }
        let result = message.payload.withUnsafeBytes { payload in
            mosquitto_publish_v5(
                self.raw, &packetID, message.topic, Int32(payload.count), payload.isEmpty ? nil : payload.baseAddress,
                Int32(message.qos.rawValue), message.retain, list)
        }
        return self.outcome(result, packetID)
    }

    /// Sends one SUBSCRIBE for filters that share QoS and options, as the library wants them.
    func subscribe(_ filters: [String], qos: MQTTQoS, options: Int32) -> Result<Int32, MosquittoResult> {
        var packetID: Int32 = 0
        let result = Self.withCStrings(filters) {
            mosquitto_subscribe_multiple(self.raw, &packetID, Int32(filters.count), $0, Int32(qos.rawValue), options, nil)
        }
        return self.outcome(result, packetID)
    }

    func unsubscribe(_ filters: [String]) -> Result<Int32, MosquittoResult> {
        var packetID: Int32 = 0
        let result = Self.withCStrings(filters) {
            mosquitto_unsubscribe_multiple(self.raw, &packetID, Int32(filters.count), $0, nil)
        }
        return self.outcome(result, packetID)
    }

    private func outcome(_ result: Int32, _ packetID: Int32) -> Result<Int32, MosquittoResult> {
        let result = MosquittoResult(rawValue: result)
        return result == .success ? .success(packetID) : .failure(result)
    }

    private static func withCStrings(_ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Int32) -> Int32 {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}
