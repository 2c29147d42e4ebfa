import CastSender
import Foundation

/// Lists devices, or plays a URL on one and follows it until it ends.
///
///     cast-play                                    devices found within 5 s
///     cast-play "Living room" https://…/film.mp4   plays; Ctrl-C leaves it playing
///     cast-play 192.168.1.31 https://…/song.mp3    the same for a host that discovery doesn't reach
@main
struct CastPlay {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(CastError) {
            switch arguments.count {
            case 0: try await Self.list()
            case 2: try await Self.play(on: arguments[0], arguments[1])
            default: Self.fail("usage: cast-play [DEVICE URL]")
            }
        } catch {
            Self.fail("\(error)")
        }
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("cast-play: \(text)\n".utf8))
        exit(1)
    }

    // MARK: - Devices

    private static func list() async throws(CastError) {
        let context = try CastContext()
        await Self.running(context) {
            try? await Task.sleep(for: .seconds(5))
            for device in await context.discoveryManager.devices {
                print(device.friendlyName, device.modelName, device.endpoints.first?.description ?? "", separator: "\t")
            }
            if let hint = await context.discoveryManager.hint() { print("\(hint.reason): \(hint.remedy)") }
        }
    }

    /// Lets the context run for as long as `body` takes.
    private static func running<Value: Sendable>(_ context: CastContext, _ body: @Sendable () async -> Value) async -> Value {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await context.run() }
            let value = await body()
            group.cancelAll()
            return value
        }
    }

    // MARK: - Playing

    private static func play(on name: String, _ url: String) async throws(CastError) {
        var options = CastOptions()
        // A host is named by its address; everything else is a device's name.
        let host = KnownHost(name).flatMap { name.contains(".") || name.contains(":") ? $0 : nil }
        if let host {
            options.discovery.knownHosts = [host]
            options.discovery.isMulticastEnabled = false
        }
        let context = try CastContext(options: options)
        let result: Result<Void, CastError> = await Self.running(context) {
            do throws(CastError) {
                let device = try await Self.find(name, host, in: context)
                return .success(try await Self.play(url, on: device, context))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private static func find(_ name: String, _ host: KnownHost?, in context: CastContext) async throws(CastError) -> Device {
        for await devices in await context.discoveryManager.deviceLists {
            let found = devices.first { device in
                if let host { return device.endpoints.contains(host.endpoint) }
                return device.friendlyName.lowercased() == name.lowercased()
            }
            if let found { return found }
        }
        throw CastError(.cancelled, detail: "the search ended")
    }

    private static func play(_ url: String, on device: Device, _ context: CastContext) async throws(CastError) {
        let session = try await context.sessionManager.start(on: device)
        let media = MediaInformation(contentID: url, contentType: Self.contentType(of: url))
        try await session.remoteMediaClient.load(MediaLoadRequest(media: media))
        for await status in await session.mediaStatuses {
            guard let status else { continue }
            print(status.playerState, status.currentTime.map { "\(Int($0)) s" } ?? "", status.idleReason.map { "\($0)" } ?? "")
            if status.isEnded { break }
        }
        try await context.sessionManager.end(device.id, stopsApplication: true)
    }

    private static func contentType(of url: String) -> String {
        switch url.split(separator: ".").last?.lowercased() {
        case "mp3": "audio/mpeg"
        case "m3u8": "application/x-mpegURL"
        case "mpd": "application/dash+xml"
        case "jpg", "jpeg": "image/jpeg"
        case "webm": "video/webm"
        default: "video/mp4"
        }
    }
}
