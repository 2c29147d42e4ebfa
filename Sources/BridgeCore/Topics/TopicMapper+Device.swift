import CastModels

extension TopicMapper {
    func writeInfo(_ state: DeviceState, to writer: inout JSONWriter) {
        self.writeFacts(state, to: &writer) { writer in
            writer.beginArray("addresses")
            var written: [String] = []
            for endpoint in state.device.endpoints.prefix(DocumentLimits.elements) where !written.contains(endpoint.host) {
                written.append(endpoint.host)
                writer.value(endpoint.host)
            }
            writer.endArray()
        }
        writer.member("identity", state.device.identity.rawValue)
        writer.member("authentication", state.details.authentication.rawValue)
        writer.member("groups", self.groups(state).map(\.slug))
        writer.member("aliases", state.aliases)
        writer.member("area", state.area)
        writer.member("applications", self.options.applications.names(without: state.application.unavailable))
        writer.member("instance", self.options.instance)
    }

    /// Writes the members that `info` and an entry of `bridge/devices` share.
    /// - Parameter addresses: writes the members between `port` and `mac`.
    func writeFacts(_ state: DeviceState, to writer: inout JSONWriter, addresses: (inout JSONWriter) -> Void) {
        let endpoint = state.details.endpoint ?? state.device.endpoints.first
        writer.member("id", state.device.id)
        writer.member("slug", state.slug)
        writer.member("name", text: state.device.friendlyName)
        writer.member("type", state.device.kind.rawValue)
        writer.member("model", text: state.device.modelName)
        writer.member("manufacturer", text: state.details.manufacturer)
        writer.member("firmware", text: state.details.firmware)
        writer.member("ip", endpoint?.host)
        writer.member("port", endpoint?.port)
        addresses(&writer)
        writer.member("mac", text: self.options.sharesMACAddress ? state.details.macAddress?.lowercased() : nil)
        writer.member("capabilities", state.device.capabilities?.names ?? [])
    }

    /// Writes the `app` document: the running application and our connection to it.
    func writeApp(_ state: DeviceState, to writer: inout JSONWriter) {
        let application = state.receiver?.application
        writer.member("id", text: application?.applicationID)
        writer.member("name", text: application?.name)
        writer.member("universal_id", text: application?.universalApplicationID)
        writer.beginObject("session")
        writer.member("phase", state.application.session.phase.rawValue)
        writer.member("id", text: application?.sessionID)
        writer.endObject()
        writer.member("transport", text: application?.transportID)
        writer.member("status_text", text: application?.statusText)
        writer.member("idle_screen", application?.isIdleScreen ?? false)
        writer.member("launched_from_cloud", application?.launchedFromCloud)
        writer.beginArray("namespaces")
        for namespace in (application?.namespaces ?? []).prefix(DocumentLimits.elements) where writer.hasRoom {
            writer.value(namespace.limited)
        }
        writer.endArray()
        writer.member("icon", text: application?.iconURL)
        writer.member("ours", state.isApplicationOurs)
        writer.member("connection", application == nil ? nil : state.application.part.connection.rawValue)
    }
}
