import BridgeCore
import CastSender
import MediaServer
import NIOCore
import ProcessSpawning

/// Finds what devices load for announcements, and turns texts into sound that they can fetch: with a program, or by an address.
final class Speech {
    private static let timeLimit = Duration.seconds(10)
    private static let byteLimit = 16 << 20
    /// For how long a device may fetch what was spoken.
    private static let lifetime = Duration.seconds(900)
    /// The texts whose sound is kept, and those that are being spoken at once.
    private static let (cacheLimit, speakingLimit) = (32, 16)

    private struct Sound: Sendable {
        var bytes: [UInt8]
        var type: String
        var name: String
    }

    private struct Entry {
        typealias Speaking = Task<Result<Sound, CommandRejection>, Never>

        let key: [String]
        let task: Speaking
        /// The size of the sound; `nil` while it is being spoken.
        var byteCount: Int?
    }

    private let context: BridgeContext
    /// By words and text, the oldest first.
    private var entries: [Entry] = []

    init(_ context: BridgeContext) { self.context = context }

    /// Returns what a device loads: the chime, if it has one, and the announcement.
    /// - Parameter local: our own address on the link to the device.
    nonisolated(nonsending) func sounds(
        of announcement: Announcement, local: SocketAddress?
    ) async throws(CommandRejection) -> [MediaInformation] {
        var sounds: [MediaInformation] = []
        if let chime = announcement.chime {
            let bytes = await Blocking.run { chime.wav } ?? []
            sounds = [try self.offer(Sound(bytes: bytes, type: "audio/wav", name: "\(chime.rawValue).wav"), to: local)]
            sounds[0].duration = Chime.duration
        }
        switch announcement.content {
        case .text(let text, let language): return sounds + [try await self.media(text, language, local)]
        case .media(let media):
            let found = try await MediaResolution(self.context, local: local).media(media) ?? [media]
            guard let first = found.first else { throw CommandRejection(.badPayload, "There is nothing to play at that address.") }
            self.withdraw(Array(found.dropFirst()), of: announcement)
            return sounds + [first]
        }
    }

    /// Ends the offers of an announcement that no device plays any more. An address that its caller gave may be another's.
    func withdraw(_ sounds: [MediaInformation], of announcement: Announcement) {
        guard let server = self.context.program.media else { return }
        var given: [String] = []
        if case .media(let media) = announcement.content { given = media.addresses }
        for address in sounds.flatMap(\.addresses) where !given.contains(address) { server.withdraw(address) }
    }

    private nonisolated(nonsending) func media(
        _ text: String, _ language: String?, _ local: SocketAddress?
    ) async throws(CommandRejection) -> MediaInformation {
        let options = self.context.settings.speech
        let language = language ?? options.language
        if let template = options.url {
            let address = template.replacing("{text}", with: text.percentEncoded).replacing("{language}", with: language.percentEncoded)
            return MediaInformation(contentID: address, contentType: ContentType.guess(url: template) ?? "audio/mpeg")
        }
        guard !options.command.isEmpty else {
            throw CommandRejection(.notSupported, "This bridge has no voice.", hint: "Set speech.command or speech.url.")
        }
        _ = try self.base(for: local)
        return try self.offer(try await self.spoken(options.command.map { $0.replacing("{language}", with: language) }, text), to: local)
    }

    private func base(for local: SocketAddress?) throws(CommandRejection) -> String {
        if let base = self.context.program.media?.address(forPeerAt: local) { return base }
        throw CommandRejection(
            .notSupported, "The device can't fetch speech and chimes.", hint: "Give media.listen an address of the device's network.")
    }

    private func offer(_ sound: Sound, to local: SocketAddress?) throws(CommandRejection) -> MediaInformation {
        let (base, content) = (try self.base(for: local), Content.bytes(sound.bytes, type: sound.type))
        guard let path = self.context.program.media?.offer(content, named: sound.name, for: Self.lifetime) else {
            throw CommandRejection(.rateLimited, "Too much is spoken at once.")
        }
        return MediaInformation(contentID: base + path.description, contentType: sound.type)
    }

    /// Returns the sound of a text. Those who want the same text at the same moment wait for one program.
    private nonisolated(nonsending) func spoken(_ words: [String], _ text: String) async throws(CommandRejection) -> Sound {
        let task = try self.speaking(words, text)
        let result = await task.value
        if let index = self.entries.firstIndex(where: { $0.task == task }) {
            var entry = self.entries.remove(at: index)
            entry.byteCount = (try? result.get())?.bytes.count
            if entry.byteCount != nil { self.entries.append(entry) }
        }
        while self.entries.count(where: { $0.byteCount != nil }) > Self.cacheLimit
            || self.entries.reduce(0, { $0 + ($1.byteCount ?? 0) }) > Self.byteLimit * 2,
            let oldest = self.entries.firstIndex(where: { $0.byteCount != nil })
        { self.entries.remove(at: oldest) }
        return try result.get()
    }

    private func speaking(_ words: [String], _ text: String) throws(CommandRejection) -> Entry.Speaking {
        let key = words + [text]
        if let known = self.entries.first(where: { $0.key == key }) { return known.task }
        guard self.entries.count(where: { $0.byteCount == nil }) < Self.speakingLimit else {
            throw CommandRejection(.rateLimited, "\(Self.speakingLimit) texts are being spoken.")
        }
        let task = Task.detached { await Speech.speak(words, text) }
        self.entries.append(Entry(key: key, task: task))
        return task
    }

    private static func speak(_ words: [String], _ text: String) async -> Result<Sound, CommandRejection> {
        // Beside the event loop, because it waits for the program.
        let output = await Blocking.run {
            Spawning.output(of: words, input: Array(text.utf8), limit: Self.byteLimit, until: .now + Self.timeLimit)
        }
        let format = (output ?? nil).flatMap { MediaType.of(Array($0.prefix(MediaType.headLength)), name: "") }
        guard let bytes = output ?? nil, let format, format.type.hasPrefix("audio/") else {
            let reason =
                output ?? nil == nil ? "can't be started, failed, or took more than 10 seconds" : "wrote neither WAV nor MP3 nor Ogg"
            return .failure(
                CommandRejection(
                    .notSupported, "The program of speech.command \(reason).", hint: "Try it in a shell, as the bridge's user."))
        }
        let sound = format.container == .wav ? Self.measured(bytes) : bytes
        return .success(Sound(bytes: sound, type: format.type, name: "speech.\(format.container.rawValue)"))
    }

    /// Writes the lengths into a WAV: a program that writes to a pipe does not know them, and a device would wait for the rest.
    private static func measured(_ bytes: [UInt8]) -> [UInt8] {
        var (buffer, chunk) = (ByteBuffer(bytes: bytes), 12)
        while let length = buffer.getInteger(at: chunk + 4, endianness: .little, as: UInt32.self) {
            if buffer.getString(at: chunk, length: 4) == "data" {
                buffer.setInteger(UInt32(bytes.count - 8), at: 4, endianness: .little)
                buffer.setInteger(UInt32(bytes.count - chunk - 8), at: chunk + 4, endianness: .little)
                break
            }
            chunk += 8 + Int(length) + Int(length % 2)
        }
        return Array(buffer.readableBytesView)
    }
}

extension MediaInformation {
    /// Where the medium, its tracks and its pictures are.
    fileprivate var addresses: [String] {
        [self.contentID].compactMap { $0 } + self.tracks.compactMap(\.contentID) + (self.metadata?.images.map(\.url) ?? [])
    }
}
