import CastModels

/// Reads the arguments of `cmd/check`: nothing for the loaded medium, a URL, or an object with `url`, `content_type` and `tracks`.
enum CheckArguments {
    /// - Returns: `nil` for the loaded medium.
    static func parse(_ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> MediaInformation? {
        guard rules.options.checksLoads else {
            throw CommandRejection(
                .forbidden, "check needs commands.check_failed_loads in the configuration.",
                hint: "Set commands.check_failed_loads to true, if the bridge may fetch what clients name.")
        }
        switch arguments {
        case .none: return nil
        case .text(let url): return MediaInformation(contentID: try MediaArguments.webURL(url, of: "check"))
        case .json(.object(let object)):
            var reader = ArgumentReader(object, of: "check")
            let url = try reader.text("url", maximumBytes: MediaArguments.maximumURLBytes)
            let type = try reader.text("content_type", maximumBytes: 128)
            let tracks = try reader.array("tracks", maximumCount: MediaArguments.maximumTracks)
            try reader.finish()
            guard let url else {
                if type != nil || tracks != nil { throw reader.wrong("url", "given beside content_type and tracks") }
                return nil
            }
            var media = MediaInformation(contentID: try MediaArguments.webURL(url, of: "check: url"), contentType: type)
            if let tracks { media.tracks = try TrackArguments.parse(tracks) }
            return media
        case .json: throw CommandRejection(.badPayload, "check takes nothing, a URL, or an object with url.")
        }
    }
}
