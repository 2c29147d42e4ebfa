import CastModels

extension CastSession {
    /// Shows a web page on the device's screen. Launches DashCast if it is not running and sends it the page. Returns when the message is
    /// written, because the application sends no answer.
    ///
    /// - Throws: `invalidRequest` for an interval outside `WebPage.reloadRange` or with a forced page; the errors of `launch`;
    ///   `channelNotConnected` when the application accepts no messages.
    @discardableResult
    public func show(_ page: WebPage) async throws(CastError) -> ReceiverApplication {
        if let interval = page.reloadInterval {
            guard !page.isForced else { throw .invalidArgument("reloadInterval", "a forced page can't be loaded again") }
            guard WebPage.reloadRange.contains(interval) else { throw .invalidArgument("reloadInterval", "1 to 86 400 seconds") }
        }
        let application = try await self.launch(WebPage.applicationID)
        let channel = try self.openChannel(WebPage.namespace)
        defer { self.closeChannel(channel) }
        // An application is reported before it lists its namespaces.
        _ = try await self.wait(self.configuration.applicationTimeout) { $0.channelTransport(WebPage.namespace) != nil }
        try await channel.send(JSONWriter.string(of: .object(page.message)))
        return application
    }
}
