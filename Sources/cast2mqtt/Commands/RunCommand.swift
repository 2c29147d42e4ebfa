import ArgumentParser
import Bridge
import BridgeConfiguration
import BridgeCore
import CastMediaCheck
import CastSender
import Dashboard
import FoundationEssentials
import Glibc
import LogKeys
import Logging
import MediaServer
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// `cast2mqtt run`: runs the bridge until a signal ends it.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs the bridge until SIGTERM or SIGINT.",
        discussion: """
            Every setting can also be given in the environment: mqtt.host is CAST2MQTT_MQTT_HOST. Secrets may come from files:
            CAST2MQTT_MQTT_PASSWORD_FILE=/run/secrets/mqtt. "cast2mqtt check-config" tests the settings without starting.

            Every key, its variable and its meaning:

            \(ConfigurationKey.help)
            """)

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let loaded = try self.file.load()
        let configuration = loaded.configuration
        let control = configuration.log.install(configuration.secrets.redaction, keepsLines: true)
        let logger = Logger(label: "cast2mqtt")
        ProcessLimits.raiseDescriptors()
        ProcessLimits.separateLargeBlocks()
        logger.info("starting", metadata: [.version: "\(Build.version)", .configuration: "\(loaded.path ?? "defaults")"])
        for warning in loaded.warnings { logger.warning("configuration warning", metadata: [.detail: "\(warning)"]) }

        // One event loop runs all Cast links and the bridge, so that a status crosses no thread before it is published.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let eventLoop = group.next()
        let directory = try Self.stateDirectory(configuration, logger)
        let broker = try configuration.mqtt.host == nil ? Self.privateBroker(configuration, directory, eventLoop, logger) : nil
        let settings = try Self.settings(configuration, broker, directory)
        let restart = RestartRequest()
        let signals = await UnixSignalsSequence(trapping: .sighup, .sigusr1, .sigusr2)
        let manager = ServiceManager(environment: ProcessInfo.processInfo.environment)
        var program = ProgramServices(
            connector: try TLSConnector(), levels: LogLevels(read: { control.current }, write: { control.current = $0 }))
        program.stateDirectory = directory
        program.images = Self.images(configuration, directory)
        program.logTap = control.tap
        program.mediaChecker = MediaChecker(eventLoopGroup: group)
        program.mediaProbe = MediaProbe(eventLoopGroup: group)
        program.onRestart = { restart.request() }
        if !configuration.media.listen.isEmpty {
            program.media = MediaServer(
                configuration.media, uploads: directory.map { "\($0.path)/uploads" }, logger: Logger(label: "MediaServer"))
        }
        let access = ProgramSettings(file: self.file, loaded: loaded, logger: logger)
        program.settings = access
        let bridge = Bridge(
            settings: settings, eventLoop: eventLoop, program: program, wallClock: { .now() }, configuration: loaded.effective,
            onStart: { manager?.report(.ready) })

        // Services end in reverse order: the bridge disconnects while its broker is still running.
        var services: [any Service] =
            if let broker {
                [broker, BridgeBehindBroker(broker: broker, bridge: bridge, base: configuration.mqtt.base, logger: logger)]
            } else { [bridge] }
        services.append(MemoryTrimming())
        if let media = program.media { services.append(media) }
        let server = try Self.webServer(configuration, directory, bridge, access, program.media?.uploads, logger)
        if let server { services.append(server) }
        await access.begin(refusal: { await bridge.standbyRefusal }) { former, new in
            try server?.apply(new.web)
            if !new.web.passwords.isEmpty { SetupCode.remove(besides: directory?.path) }
            if former.log.filters != new.log.filters { control.current = new.log.filters }
            if former.log.publish != new.log.publish { control.tap.level = new.log.publish }
            await bridge.apply(
                devices: new.devices, discovery: new.discovery.manager, presets: new.presets, announcements: new.announcements,
                homeAssistant: new.homeAssistant)
        }
        if let manager { services.append(ServiceManagerReports(manager: manager, eventLoop: eventLoop, restart: restart)) }
        var shutdown = ServiceGroupConfiguration(
            services: services.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint],
            logger: Logger(label: "ServiceLifecycle"))
        // Clearing all topics takes as long as Home Assistant needs to remove its entities.
        shutdown.maximumGracefulShutdownDuration = configuration.topics.clearsOnExit ? .milliseconds(8000) : .milliseconds(1800)
        let running = ServiceGroup(configuration: shutdown)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in restart.requests { await running.triggerGracefulShutdown() }
            }
            group.addTask {
                for await signal in signals where signal == .sighup { _ = try? await access.reload() }
            }
            try await running.run()
            group.cancelAll()
        }
        logger.info("ended")
        guard restart.isRequested else { return }
        Restart.perform(logger)
        throw ExitCode.restartFailed
    }

    private static func settings(
        _ configuration: Configuration, _ broker: PrivateBroker?, _ directory: StateDirectory?
    ) throws -> BridgeSettings {
        do throws(CastError) {
            return try configuration.bridgeSettings(privatePort: broker?.port, digits: ClientDigits.kept(in: directory))
        } catch {
            StandardError.print("authentication.roots_file: \(error.detail)")
            throw ExitCode.wrongConfiguration
        }
    }

    /// The web page, the metrics and the control socket; `nil` when there is none of them.
    private static func webServer(
        _ configuration: Configuration, _ directory: StateDirectory?, _ bridge: Bridge, _ access: ProgramSettings,
        _ uploads: MediaUploads?, _ logger: Logger
    ) throws -> DashboardServer? {
        let folder = ControlDirectory.own(stateDirectory: directory?.path, environment: ProcessInfo.processInfo.environment)
        var settings = DashboardSettings(web: configuration.web, metrics: configuration.metrics, version: Build.version)
        settings.instance = configuration.instance
        settings.controlIsForGroup = folder != directory?.path
        settings.controlPath = folder.map { "\($0)/\(ControlDirectory.socketName)" }
        if let path = settings.controlPath, path.utf8.count > ControlDirectory.maximumPathBytes {
            settings.controlPath = nil
            logger.warning("no control socket: its path is too long", metadata: [.path: "\(path)", .remedy: "set RUNTIME_DIRECTORY"])
        }
        settings.machineNames = Self.hostNames
        let code = SetupCode.make(configuration, folder: folder, logger)
        settings.setupCode = code?.text
        guard settings.isEnabled else { return nil }
        do throws(DashboardServer.CertificateProblem) {
            return try DashboardServer(
                settings: settings, bridge: bridge, access: access, uploads: uploads, logger: Logger(label: "Dashboard"),
                onPage: { code?.announce($0, logger) })
        } catch {
            StandardError.print("\(error.key): \(error.detail)")
            throw ExitCode.wrongConfiguration
        }
    }

    /// The machine's host name, alone and as multicast DNS has it.
    private static var hostNames: [HostName] {
        guard let name = MachineName.own else { return [] }
        return [name, "\(name).local"].compactMap { HostName($0) }
    }

    /// The cache of pictures, on a thread of its own; `nil` while none are published or shown.
    private static func images(_ configuration: Configuration, _ directory: StateDirectory?) -> ImageCache? {
        let options = configuration.artwork
        let isShown = !configuration.web.listen.isEmpty
        guard options.publishesImages || isShown else { return nil }
        let given = StateDirectoryPath.given("CACHE_DIRECTORY", ProcessInfo.processInfo.environment)
        let folder = (given ?? directory?.path).map { "\($0)/images" }
        return ImageCache(
            ImageCache.Options(
                folder: options.cacheByteLimit > 0 ? folder : nil, byteLimit: options.cacheByteLimit,
                imageByteLimit: isShown ? max(options.imageByteLimit, Self.shownImageByteLimit) : options.imageByteLimit,
                allowsLocalAddresses: options.allowsLocalAddresses),
            group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
    }

    /// The largest picture that the web page shows, in bytes. Browsers on the same network take more than a broker does.
    private static let shownImageByteLimit = 4 << 20

    /// The locked directory; without one the bridge runs and remembers nothing.
    private static func stateDirectory(_ configuration: Configuration, _ logger: Logger) throws -> StateDirectory? {
        guard let path = configuration.stateDirectoryPath else {
            logger.warning("no state directory is given and there is no home: nothing is remembered over a restart")
            return nil
        }
        do throws(StateDirectory.Problem) {
            let directory = try StateDirectory(path: path)
            _ = try directory.read(StateDirectory.devicesFile)
            return directory
        } catch {
            switch error {
            case .inUse(let path):
                StandardError.print(
                    "\(path) is in use by another cast2mqtt. Stop that one, or give this one its own state_directory, instance and mqtt.base."
                )
                throw ExitCode.stateDirectoryInUse
            case .notWritable, .missing:
                logger.warning(
                    "the state directory can't be written: nothing is remembered over a restart",
                    metadata: [.reason: "\(error.cause)", .remedy: "\(error.remedy)"])
                return nil
            case .notReadable(let path, let number, let owner):
                StandardError.print(
                    "\(path) can't be read: \(String(cString: strerror(number))). Its owner is \(owner.map(Self.userName) ?? "unknown"), and "
                        + "cast2mqtt runs as \(Self.userName(geteuid())). Change the owner, or move the file away to start without memory.")
                throw ExitCode.wrongConfiguration
            }
        }
    }

    /// Returns the name of a user, or the number if it has no name.
    private static func userName(_ id: UInt32) -> String { getpwuid(id).map { String(cString: $0.pointee.pw_name) } ?? "user \(id)" }

    private static func privateBroker(
        _ configuration: Configuration, _ directory: StateDirectory?, _ eventLoop: any EventLoop, _ logger: Logger
    ) throws -> PrivateBroker {
        let folder = try directory?.path ?? Self.temporaryFolder()
        do throws(PrivateBroker.Problem) {
            return try PrivateBroker(
                stateDirectory: folder, isTemporary: directory == nil, firstPort: configuration.mqtt.embeddedPort, eventLoop: eventLoop,
                logger: Logger(label: "PrivateBroker"))
        } catch {
            switch error {
            case .notInstalled:
                StandardError.print(
                    "mosquitto is not installed: install Debian's package mosquitto, or set mqtt.host to a broker of yours.")
                throw ExitCode.mosquittoMissing
            case .noFreePort(let first): StandardError.print("No port from \(first) to \(first + 99) is free; set mqtt.embedded_port.")
            case .cannotWrite(let path, let detail): StandardError.print("The private broker needs to write \(path): \(detail)")
            }
            throw ExitCode.wrongConfiguration
        }
    }

    /// Creates a folder that no other user can have prepared, for a private broker without a state directory.
    private static func temporaryFolder() throws -> String {
        var template = Array(
            FileManager.default.temporaryDirectory.appending(path: "cast2mqtt-XXXXXX").path(percentEncoded: false).utf8CString)
        guard mkdtemp(&template) != nil else {
            StandardError.print("No temporary folder for the private broker: \(String(cString: strerror(errno)))")
            throw ExitCode.wrongConfiguration
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// Runs the bridge after its private broker accepts connections.
private struct BridgeBehindBroker: Service {
    let broker: PrivateBroker
    let bridge: Bridge
    let base: String
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { await self.broker.waitUntilListening() }
        self.logger.info("to watch everything: mosquitto_sub -h 127.0.0.1 -p \(self.broker.port) -t '\(self.base)/#' -v")
        try await self.bridge.run()
    }
}
