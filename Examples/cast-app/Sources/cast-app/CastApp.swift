import CastSender
import Foundation

/// A player for a terminal: one session at a time, and a screen that is printed whenever it changes. Its buttons are lines on standard input.
///
///     cast-app CC1AD845 "Living room"              finds devices, and starts the application on one
///     cast-app CC1AD845 192.168.1.31 192.168.1.32  the same with hosts that discovery doesn't reach; the first is the one
@main
struct CastApp {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count >= 2 else { Self.fail("usage: cast-app APPLICATION DEVICE [HOST…]") }
        do throws(CastError) {
            try await Self.run(application: arguments[0], name: arguments[1], hosts: arguments.dropFirst().compactMap(Self.host))
        } catch {
            Self.fail("\(error)")
        }
    }

    private static func fail(_ text: String) -> Never {
        FileHandle.standardError.write(Data("cast-app: \(text)\n".utf8))
        exit(1)
    }

    /// A host is named by its address; everything else is a device's name.
    private static func host(_ text: String) -> KnownHost? { text.contains(".") || text.contains(":") ? KnownHost(text) : nil }

    private static func run(application: String, name: String, hosts: [KnownHost]) async throws(CastError) {
        var options = CastOptions(receiverApplicationID: application, allowsSeveralSessions: false)
        options.discovery.knownHosts = hosts
        options.discovery.isMulticastEnabled = hosts.isEmpty
        let context = try CastContext(options: options)
        let result: Result<Void, CastError> = await withTaskGroup(of: Void.self) { group in
            group.addTask { await context.run() }
            group.addTask { for await state in context.castStates { Screen.print("cast button: \(state)") } }
            defer { group.cancelAll() }
            do throws(CastError) {
                let device = try await Self.find(name, hosts.first, in: context)
                let session = try await context.sessionManager.start(on: device)
                return .success(await Self.use(session, of: context))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private static func find(_ name: String, _ host: KnownHost?, in context: CastContext) async throws(CastError) -> Device {
        for await devices in await context.discoveryManager.deviceLists {
            let found = devices.first { device in
                host.map { device.endpoints.contains($0.endpoint) } ?? (device.friendlyName.lowercased() == name.lowercased())
            }
            if let found { return found }
        }
        throw CastError(.cancelled, detail: "the search ended")
    }

    /// Shows the session and obeys the buttons until `quit`, or until the session ends. Nothing here knows of connections: what the app
    /// holds goes on while the session is suspended, and when its stream moves to another device.
    private static func use(_ session: CastSession, of context: CastContext) async {
        let buttons = Buttons(session: session, channel: try? await session.openChannel(Buttons.namespace))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard let channel = buttons.channel else { return }
                for await case .event(let event) in channel.events { Screen.print("channel: \(event)") }
            }
            group.addTask {
                for await line in Self.lines where await !buttons.press(line) { break }
                if let device = await session.device { try? await context.sessionManager.end(device.id) }
            }
            await Screen.show(session)
            group.cancelAll()
        }
    }

    /// The lines on standard input.
    private static var lines: AsyncStream<String> {
        AsyncStream { lines in
            Thread.detachNewThread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
    }
}
