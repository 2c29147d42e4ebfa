internal import CMosquitto
import Glibc

extension MosquittoHandle {
    /// - Returns: the packet id of the acknowledgement; with QoS 0 the acknowledgement is stored within this call.
    func publish(_ packet: OutgoingPacket) -> Result<Int32, MosquittoResult> {
        var packetID: Int32 = 0
        // The count fits, because `OutgoingPacket.refusal` limits it.
        let result = mosquitto_publish_v5(
            self.raw, &packetID, packet.topic, Int32(packet.payload.count), packet.payload.isEmpty ? nil : packet.payload.baseAddress,
            Int32(packet.entry.qos.rawValue), packet.entry.retain, self.version == .v5 ? packet.entry.properties.list : nil)
        return self.outcome(result, packetID)
    }

    /// Sends one SUBSCRIBE for filters that share QoS and options, as the library requires.
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
