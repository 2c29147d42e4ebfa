import CastModels

extension CastSession {
    /// Shows a web page on the device's screen. Launches DashCast where it does not run, and sends it the page; done when the message is
    /// written, since the application answers nothing.
    ///
    /// - Throws: `invalidRequest` for an interval out of `WebPage.reloadRange` or beside a forced page; as `launch`; `channelNotConnected` when
    ///   the application takes no messages.
    @discardableResult
    public func show(_ page: WebPage) async throws(CastError) -> ReceiverApplication? {
        if let interval = page.reloadInterval {
            guard !page.isForced else { throw .invalidArgument("reloadInterval", "a forced page can't be loaded again") }
            guard WebPage.reloadRange.contains(interval) else { throw .invalidArgument("reloadInterval", "1 to 86 400 seconds") }
        }
        let application = try await self.launch(WebPage.applicationID)
        let channel = try self.openChannel(WebPage.namespace)
        defer { self.closeChannel(channel) }
        // An application shows before it lists what it speaks.
        _ = try await self.wait(self.configuration.applicationTimeout) { $0.channelTransport(WebPage.namespace) != nil }
        try await channel.send(JSONWriter.string(of: .object(page.message)))
        return application
    }
}
