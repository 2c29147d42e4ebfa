import BridgeCore
import CastSender
import MediaServer
import NIOCore
import ProcessSpawning
import Synchronization

/// Turns texts into sound that a device can fetch: with a program, or by an address. Chimes are sounds of the same kind.
final class Speech: Sendable {
    private static let timeLimit = Duration.seconds(10)
    private static let byteLimit = 16 << 20
    /// For how long a device may fetch what was spoken.
    private static let lifetime = Duration.seconds(900)
    /// The texts whose sound is kept.
    private static let cacheLimit = 32

    /// The texts that are being spoken at once.
    private static let speakingLimit = 16

    private struct Sound {
        var words: [String]
        var bytes: [UInt8]
        var type: String
    }

    private typealias Speaking = Task<Result<Sound, CommandRejection>, Never>

    private struct State {
        var cache: [Sound] = []
        /// The programs that run, or wait for a thread.
        var speaking: [[String]: Speaking] = [:]
    }

    private let options: SpeechOptions
    private let server: MediaServer?
    private let state = Mutex(State())

    init(_ options: SpeechOptions, server: MediaServer?) { (self.options, self.server) = (options, server) }

    /// - Parameter local: our own address on the link to the device.
    func media(_ text: String, language: String?, local: SocketAddress?) async throws(CommandRejection) -> MediaInformation {
        let language = language ?? self.options.language
        if let template = self.options.url {
            let address = template.replacing("{text}", with: text.percentEncoded).replacing("{language}", with: language.percentEncoded)
            return MediaInformation(contentID: address, contentType: ContentType.guess(url: template) ?? "audio/mpeg")
        }
        guard !self.options.command.isEmpty else {
            throw CommandRejection(.notSupported, "This bridge has no voice.", hint: "Set speech.command or speech.url.")
        }
        let base = try self.base(for: local)
        let sound = try await self.sound(self.options.command.map { $0.replacing("{language}", with: language) }, text)
        let name = sound.type == "audio/wav" ? "speech.wav" : sound.type == "audio/ogg" ? "speech.ogg" : "speech.mp3"
        return try self.offer(sound.bytes, sound.type, named: name, at: base)
    }

    func media(_ chime: Chime, local: SocketAddress?) async throws(CommandRejection) -> MediaInformation {
        let base = try self.base(for: local)
        let bytes = await Blocking.run { chime.wav } ?? []
        var media = try self.offer(bytes, "audio/wav", named: "\(chime.rawValue).wav", at: base)
        media.duration = Chime.duration
        return media
    }

    private func base(for local: SocketAddress?) throws(CommandRejection) -> String {
        if let base = self.server?.address(forPeerAt: local) { return base }
        throw CommandRejection(
            .notSupported, "The device can't fetch speech and chimes.", hint: "Give media.listen an address of the device's network.")
    }

    private func offer(_ bytes: [UInt8], _ type: String, named name: String, at base: String) throws(CommandRejection) -> MediaInformation {
        guard let path = self.server?.offer(.bytes(bytes, type: type), named: name, for: Self.lifetime) else {
            throw CommandRejection(.rateLimited, "Too much is spoken at once.")
        }
        return MediaInformation(contentID: base + path.description, contentType: type)
    }

    /// Returns the sound of a text. Those who want the same text at the same moment wait for one program.
    private func sound(_ words: [String], _ text: String) async throws(CommandRejection) -> Sound {
        let key = words + [text]
        let (known, speaking) = self.state.withLock { state -> (Sound?, Speaking?) in
            if let known = state.cache.first(where: { $0.words == key }) { return (known, nil) }
            if state.speaking[key] == nil, state.speaking.count < Self.speakingLimit {
                state.speaking[key] = Task { await self.speak(words, text, key) }
            }
            return (nil, state.speaking[key])
        }
        if let known { return known }
        guard let speaking else { throw CommandRejection(.rateLimited, "\(Self.speakingLimit) texts are being spoken.") }
        return try await speaking.value.get()
    }

    private func speak(_ words: [String], _ text: String, _ key: [String]) async -> Result<Sound, CommandRejection> {
        // Beside the event loop, because it waits for the program.
        let output = await Blocking.run {
            Spawning.output(of: words, input: Array(text.utf8), limit: Self.byteLimit, until: .now + Self.timeLimit)
        }
        guard let bytes = output ?? nil, let type = Self.type(of: bytes) else {
            let failure = "can't be started, failed, or took more than 10 seconds"
            let reason = (output ?? nil) == nil ? failure : "wrote neither WAV nor MP3 nor Ogg"
            self.state.withLock { $0.speaking[key] = nil }
            return .failure(
                CommandRejection(
                    .notSupported, "The program of speech.command \(reason).", hint: "Try it in a shell, as the bridge's user."))
        }
        let sound = Sound(words: key, bytes: type == "audio/wav" ? Self.measured(bytes) : bytes, type: type)
        self.state.withLock {
            $0.speaking[key] = nil
            $0.cache.append(sound)
            while $0.cache.count > Self.cacheLimit || $0.cache.reduce(0, { $0 + $1.bytes.count }) > Self.byteLimit * 2 {
                $0.cache.removeFirst()
            }
        }
        return .success(sound)
    }

    /// Writes the lengths into a WAV: a program that writes to a pipe does not know them, and a device would wait for the rest.
    private static func measured(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        func write(_ value: Int, at place: Int) {
            for shift in 0..<4 { bytes[place + shift] = UInt8(truncatingIfNeeded: value >> (8 * shift)) }
        }
        var chunk = 12
        while chunk + 8 <= bytes.count {
            let stated = (0..<4).reduce(0) { $0 | Int(bytes[chunk + 4 + $1]) << (8 * $1) }
            if bytes[chunk...].starts(with: Array("data".utf8)) {
                write(bytes.count - 8, at: 4)
                write(bytes.count - chunk - 8, at: chunk + 4)
                break
            }
            chunk += 8 + stated + stated % 2
        }
        return bytes
    }

    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: Array("RIFF".utf8)) { return "audio/wav" }
        if bytes.starts(with: Array("OggS".utf8)) { return "audio/ogg" }
        let isMPEG = bytes.starts(with: Array("ID3".utf8)) || (bytes.count > 1 && bytes[0] == 0xff && bytes[1] & 0xe0 == 0xe0)
        return isMPEG ? "audio/mpeg" : nil
    }
}
