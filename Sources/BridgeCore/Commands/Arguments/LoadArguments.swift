import CastModels

/// Reads the arguments of `cmd/load`: a URL, `["url","type"]`, an object, a list of several, or those of Home Assistant's play_media.
enum LoadArguments {
    static func parse(_ arguments: CommandArguments, _ rules: CommandRules) throws(CommandRejection) -> DeviceCommand {
        switch arguments {
        case .text(let url): return self.load(try MediaArguments.media(url: url, path: "load"), rules)
        case .json(.array(let elements)): return try self.list(elements, rules)
        case .json(.object(let object)): return try self.object(object, rules)
        case .none, .json:
            throw CommandRejection(.badPayload, "load needs a URL, [\"url\",\"type\"], an object with url, or an array of several.")
        }
    }

    /// `["url"]`, `["url","type"]`, or a queue: several URLs, or objects.
    private static func list(_ elements: [JSONValue], _ rules: CommandRules) throws(CommandRejection) -> DeviceCommand {
        let texts = elements.compactMap(\.stringValue)
        if texts.count == elements.count, (1...2).contains(texts.count), texts.count == 1 || !texts[1].contains("://") {
            let type = texts.count > 1 ? texts[1] : nil
            return self.load(try MediaArguments.media(url: texts[0], type: type, path: "load"), rules)
        }
        guard !elements.isEmpty else {
            throw CommandRejection(.badPayload, "load: an array must be [\"url\",\"type\"], or a list of URLs or objects.")
        }
        return .queue(.load(try QueueArguments.load(elements, of: "load", rules)))
    }

    private static func load(_ media: MediaInformation, _ rules: CommandRules) -> DeviceCommand {
        .load(
            LoadCommand(
                request: MediaLoadRequest(media: media), applicationID: rules.defaultApplication, launchOptions: rules.launchOptions))
    }

    private static func object(_ object: JSONObject, _ rules: CommandRules) throws(CommandRejection) -> DeviceCommand {
        var reader = ArgumentReader(object, of: "load")
        if let recent = try reader.integer("recent", in: 1...Recents.maximumCount) {
            try reader.finish()
            return .recent(recent)
        }
        let named = try rules.applications.take(&reader)
        let application = named ?? rules.defaultApplication
        let media = try MediaArguments.media(&reader, for: application, path: "load")
        var request = MediaLoadRequest(media: media, autoplay: try reader.bool("autoplay"))
        request.startTime = try reader.seconds("position")
        if let value = reader.take("rate") { request.playbackRate = try PlainValue.rate(value) }
        request.activeTrackIDs = try MediaArguments.activeTracks(&reader, of: media)
        request.credentials = try reader.text("credentials", maximumBytes: 8192)
        request.credentialsType = try reader.text("credentials_type", maximumBytes: 64)
        if request.credentialsType != nil, request.credentials == nil { throw reader.wrong("credentials_type", "given with credentials") }
        request.atvCredentials = try reader.text("atv_credentials", maximumBytes: 8192)
        request.atvCredentialsType = try reader.text("atv_credentials_type", maximumBytes: 64)
        if request.atvCredentialsType != nil, request.atvCredentials == nil {
            throw reader.wrong("atv_credentials_type", "given with atv_credentials")
        }
        request.customData = reader.take("custom_data")
        if let extra = try reader.object("extra") { try ExtraArguments.apply(extra, to: &request) }
        let isAnnounced = try reader.bool("announce") ?? false
        let launch = try LaunchArguments.parse(&reader, rules)
        let enqueue = try self.enqueue(&reader)
        try reader.finish()
        if isAnnounced { return .announce(Announcement(.media(media))) }
        guard let (place, plays) = enqueue else {
            return .load(LoadCommand(request: request, applicationID: application, launchOptions: launch))
        }
        // The items of a queue do not have these properties.
        let others = ["launch", "rate", "credentials", "credentials_type", "atv_credentials"]
        if let other = others.first(where: reader.has) { throw reader.wrong(other, "left out with enqueue") }
        var item = MediaQueueItem(media: request.media)
        item.autoplay = request.autoplay
        item.activeTrackIDs = request.activeTrackIDs
        item.customData = request.customData
        item.startTime = request.startTime
        var insertion = QueueInsertion(items: [item], place: place, playing: plays ? 0 : nil)
        insertion.loadsInto = application
        (insertion.application, insertion.launchOptions) = (named, launch)
        return .queue(.insert(insertion))
    }

    /// Home Assistant's `enqueue`: the place in the queue, and whether it plays at once; `nil` replaces the queue.
    private static func enqueue(_ reader: inout ArgumentReader) throws(CommandRejection) -> (QueuePlace, plays: Bool)? {
        switch reader.take("enqueue") {
        case nil, .string("replace"), .bool(false): return nil
        case .string("add"), .bool(true): return (.end, plays: false)
        case .string("next"): return (.next, plays: false)
        case .string("play"): return (.next, plays: true)
        default: throw reader.wrong("enqueue", "replace, play, next or add")
        }
    }
}

extension ApplicationNames {
    /// Returns the id for the member `app`; `nil` when it is missing.
    func take(_ reader: inout ArgumentReader) throws(CommandRejection) -> String? {
        try reader.parsed("app", "an app id or a known app's name") { self.id(for: $0) }
    }
}

/// Reads the `extra` of Home Assistant's play_media, with the names of its own Cast integration.
enum ExtraArguments {
    static func apply(_ object: JSONObject, to request: inout MediaLoadRequest) throws(CommandRejection) {
        var reader = ArgumentReader(object, of: "extra")
        var media = request.media ?? MediaInformation()
        if let metadata = try reader.object("metadata") { media.metadata = try MetadataArguments.parse(metadata) }
        if let title = try reader.text("title", maximumBytes: 4096) { media.metadata = media.metadata.adding("title", title) }
        if let image = try reader.text("thumb", maximumBytes: MediaArguments.maximumURLBytes) {
            var metadata = media.metadata ?? MediaMetadata(type: .generic)
            metadata.images = [MediaImage(url: try MediaArguments.webURL(image, of: "thumb"))]
            media.metadata = metadata
        }
        if let type: StreamType = try reader.word("stream_type", "BUFFERED, LIVE or NONE", maximumBytes: 64) { media.streamType = type }
        if let url = try reader.text("subtitles", maximumBytes: MediaArguments.maximumURLBytes) {
            guard media.tracks.isEmpty else { throw reader.wrong("subtitles", "left out beside tracks") }
            var track = MediaTrack(trackID: 1, type: .text, subtype: .subtitles, name: "Subtitles")
            track.language = try reader.text("subtitles_lang", maximumBytes: 64) ?? "und"
            track.contentID = try MediaArguments.webURL(url, of: "subtitles")
            track.contentType = try reader.text("subtitles_mime", maximumBytes: 128) ?? "text/vtt"
            media.tracks = [track]
            request.activeTrackIDs = [1]
        }
        if let seconds = try reader.seconds("current_time") { request.startTime = seconds }
        if let autoplay = try reader.bool("autoplay") { request.autoplay = autoplay }
        try reader.finish()
        request.media = media
    }
}

extension MediaMetadata? {
    /// Returns the metadata with a text; without any, generic metadata.
    public func adding(_ key: String, _ text: String) -> MediaMetadata {
        var metadata = self ?? MediaMetadata(type: .generic)
        metadata.fields[key] = .string(text)
        return metadata
    }
}

enum LaunchArguments {
    /// Takes the member `launch` of a load; the default options when it is missing.
    static func parse(_ outer: inout ArgumentReader, _ rules: CommandRules) throws(CommandRejection) -> LaunchOptions {
        guard let object = try outer.object("launch") else { return rules.launchOptions }
        return try ArgumentReader.read(object, of: "launch") { reader throws(CommandRejection) in try self.options(&reader, rules) }
    }

    /// Takes the members of `cmd/launch` beside `app` out of an object.
    static func options(_ reader: inout ArgumentReader, _ rules: CommandRules) throws(CommandRejection) -> LaunchOptions {
        var options = rules.launchOptions
        if let language = try reader.text("language", maximumBytes: 64) { options.languageCode = language }
        options.relaunchIfRunning = try reader.bool("relaunch") ?? false
        options.androidReceiverCompatible = try reader.bool("android") ?? true
        options.credentials = try reader.text("credentials", maximumBytes: 8192)
        options.credentialsType = try reader.text("credentials_type", maximumBytes: 64)
        options.appParams = try reader.object("params")
        return options
    }
}
