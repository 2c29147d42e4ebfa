import CastModels

/// Reads the options for launching an application.
enum LaunchArguments {
    /// Takes the member `launch` of a load; the default options when it is missing.
    static func parse(_ outer: inout ArgumentReader) throws(CommandRejection) -> LaunchOptions {
        guard let object = try outer.object("launch") else { return LaunchOptions() }
        var reader = ArgumentReader(object, of: "launch")
        let options = try self.options(&reader)
        try reader.finish()
        return options
    }

    /// Takes the members of `cmd/launch` beside `app` out of an object.
    static func options(_ reader: inout ArgumentReader) throws(CommandRejection) -> LaunchOptions {
        var options = LaunchOptions()
        if let language = try reader.text("language", maximumBytes: 64) { options.languageCode = language }
        options.relaunchIfRunning = try reader.bool("relaunch") ?? false
        options.credentials = try reader.text("credentials", maximumBytes: 8192)
        options.credentialsType = try reader.text("credentials_type", maximumBytes: 64)
        options.appParams = try reader.object("params")
        return options
    }
}
