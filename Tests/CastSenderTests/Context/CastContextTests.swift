import CastModels
import CastProtocol
import CastTestSupport
import Logging
import NIOCore
import Testing

@testable import CastSender

@Suite struct CastContextTests {
    private static func info(_ state: SessionState) -> SessionInfo {
        SessionInfo(device: Device(id: "1", friendlyName: "x"), state: state, applicationID: nil, sessionID: nil)
    }

    @Test(
        "the cast state is the best of all sessions",
        arguments: [
            (false, [], .noDevicesAvailable), (true, [], .notConnected), (true, [.starting], .connecting),
            (true, [.waitingForPermission], .connecting), (true, [.suspended(.networkError)], .connecting),
            (true, [.resuming], .connecting),
            (true, [.suspended(.appBackgrounded)], .notConnected), (true, [.ending], .notConnected),
            (true, [.starting, .started], .connected),
            (false, [.started], .connected),
        ] as [(Bool, [SessionState], CastState)])
    func castState(hasDevices: Bool, states: [SessionState], expected: CastState) {
        #expect(CastState(hasDevices: hasDevices, sessions: states.map(Self.info)) == expected)
    }

    private static func availability(_ word: String) -> @Sendable (FakeReceiver.Entry) -> [(to: String, text: String)]? {
        { entry in
            guard entry.type == "GET_APP_AVAILABILITY" else { return nil }
            let id = entry.body["requestId"]?.intValue ?? 0
            return [("", #"{"responseType":"GET_APP_AVAILABILITY","requestId":\#(id),"availability":{"CC1AD845":"\#(word)"}}"#)]
        }
    }

    @Test("a program makes a context, sees a device, starts a session and loads")
    func road() async throws {
        let receiver = FakeReceiver()
        let world = ContextWorld([receiver])
        let context = world.context
        let states = Locked<[CastState]>([])
        let loaded = Locked<Result<Void, CastError>?>(nil)
        let run = Task { await context.run() }
        let watcher = Task { for await state in context.castStates { states.value += [state] } }
        let program = Task {
            for await devices in await context.discoveryManager.deviceLists {
                guard let device = devices.first else { continue }
                loaded.value = await result { () async throws(CastError) in
                    let session = try await context.sessionManager.start(on: device)
                    let media = MediaInformation(contentID: "http://h/film.mp4", contentType: "video/mp4")
                    try await session.remoteMediaClient.load(MediaLoadRequest(media: media))
                }
                break
            }
        }
        #expect(await world.advance(until: { loaded.value != nil }) != nil)
        #expect(throws: Never.self) { try loaded.value?.get() }
        #expect(receiver.types("cast.media").contains("LOAD"))
        #expect(await world.advance(until: { states.value.last == .connected }) != nil)
        #expect(states.value.first == .noDevicesAvailable)
        run.cancel()
        let ended = Locked(false)
        let waiter = Task {
            await run.value
            await watcher.value
            await program.value
            ended.value = true
        }
        #expect(await world.advance(until: { ended.value }) != nil)
        await waiter.value
        #expect(receiver.openConnections == 0)
        #expect(receiver.set { $0.application } != nil, "applications keep running")
    }

    @Test("only devices that can run the application are listed, and each is asked", arguments: [true, false])
    func byApplication(isReceiverApplication: Bool) async throws {
        let able = FakeReceiver {
            $0.id = "able"
            $0.script = Self.availability("APP_AVAILABLE")
        }
        let unable = FakeReceiver {
            $0.id = "unable"
            $0.script = Self.availability("APP_UNAVAILABLE")
        }
        let world = ContextWorld([able, unable]) {
            if isReceiverApplication {
                ($0.receiverApplicationID, $0.filtersDiscovery) = ("CC1AD845", true)
            } else {
                $0.discovery.criteria = DiscoveryCriteria(applicationIDs: ["CC1AD845"])
            }
        }
        let context = world.context
        let lists = Locked<[[String]]>([])
        let run = Task { await context.run() }
        let watcher = Task { for await list in await context.discoveryManager.deviceLists { lists.value += [list.map(\.id)] } }
        func asked(_ receiver: FakeReceiver) -> Bool { receiver.types("cast.receiver").contains("GET_APP_AVAILABILITY") }
        #expect(
            await world.advance(until: {
                lists.value.last == ["able"] && asked(unable) && able.openConnections + unable.openConnections == 0
            }) != nil)
        #expect(!lists.value.contains { $0.contains("unable") })
        watcher.cancel()
        #expect(await world.end(run) != nil)
    }

    @Test("four devices are asked at once, ten seconds each; the others wait")
    func inquiryLimit() async throws {
        let receivers = (0..<5).map { number in
            FakeReceiver {
                $0.id = "silent\(number)"
                $0.script = { $0.type == "GET_APP_AVAILABILITY" ? [] : nil }
            }
        }
        let world = ContextWorld(receivers) { $0.discovery.criteria = DiscoveryCriteria(applicationIDs: ["CC1AD845"]) }
        let context = world.context
        let run = Task { await context.run() }
        func asked() -> Int { receivers.count { $0.types("cast.receiver").contains("GET_APP_AVAILABILITY") } }
        #expect(await world.advance(until: { asked() == 4 }) != nil)
        #expect(receivers.count { $0.openConnections > 0 } == 4)
        let start = world.virtual.now
        #expect(await world.advance(until: { asked() == 5 }) != nil)
        #expect(world.virtual.now - start < .seconds(10))
        #expect(await world.end(run) != nil)
    }

    @Test("a device that discovery asks must prove itself, too", arguments: [DeviceAuthentication.Mode.report, .require])
    func inquiriesAuthenticate(mode: DeviceAuthentication.Mode) async throws {
        let receiver = FakeReceiver { $0.script = Self.availability("APP_AVAILABLE") }
        let world = ContextWorld([receiver]) {
            $0.discovery.criteria = DiscoveryCriteria(applicationIDs: ["CC1AD845"])
            $0.authentication = DeviceAuthentication(mode: mode)
        }
        let context = world.context
        let run = Task { await context.run() }
        let isListed = Locked(false)
        let watcher = Task {
            for await list in await context.discoveryManager.deviceLists where !list.isEmpty { isListed.value = true }
        }
        func challenges() -> Int { receiver.set { $0.messages }.count { $0.namespace == CastNamespace.deviceAuthentication } }
        #expect(await world.advance(until: { mode == .report ? isListed.value : challenges() > 1 }) != nil)
        #expect(challenges() == world.connector.attempts.count)
        #expect(challenges() > 1)
        if mode == .require { #expect(receiver.journal.allSatisfy { $0.namespace == CastNamespace.heartbeat || $0.type == "CLOSE" }) }
        #expect(await world.end(run, watcher) != nil)
    }

    @Test("sequences of devices and of their changes finish with the context")
    func ends() async throws {
        let world = ContextWorld([FakeReceiver()])
        let discovery = world.context.discoveryManager
        let (lists, changes) = (await discovery.deviceLists, await discovery.deviceChanges)
        let (seen, over) = (Locked(false), Locked(0))
        let readers = [
            Task {
                for await list in lists where !list.isEmpty { seen.value = true }
                over.value += 1
            },
            Task {
                for await _ in changes {}
                over.value += 1
            },
        ]
        let context = world.context
        let run = Task { await context.run() }
        #expect(await world.advance(until: { seen.value }) != nil)
        run.cancel()
        #expect(await world.advance(until: { over.value == 2 }) != nil)
        for reader in readers {
            reader.cancel()
            await reader.value
        }
        await run.value
        let late = Task { for await _ in await discovery.deviceLists {} }
        let isOver = Locked(false)
        let waiter = Task {
            await late.value
            isOver.value = true
        }
        #expect(await world.advance(until: { isOver.value }) != nil, "a later observer gets it at once")
        late.cancel()
        await waiter.value
    }

    @Test("no device is searched for before discovery is started, nor after it is stopped")
    func startAndStop() async throws {
        let receiver = FakeReceiver()
        let world = ContextWorld([receiver]) {
            $0.startsDiscovery = false
            // One that is off is tried again and again.
            $0.discovery.knownHosts.append(KnownHost(endpoint: DeviceEndpoint(host: "10.0.0.9")))
        }
        func attempts() -> Int { world.connector.attempts.count { $0.address == "10.0.0.9" } }
        let context = world.context
        let run = Task { await context.run() }
        await world.advance(.milliseconds(500))
        await world.virtual.advance(.minutes(1))
        #expect(world.connector.attempts.isEmpty)
        context.discoveryManager.startDiscovery()
        let found = Locked(false)
        let watcher = Task {
            for await list in await context.discoveryManager.deviceLists where list.map(\.id) == ["aa11"] { found.value = true }
        }
        #expect(await world.advance(until: { found.value && receiver.openConnections == 0 }) != nil)
        let first = attempts()
        #expect(await world.advance(until: { attempts() > first }) != nil)
        context.discoveryManager.stopDiscovery()
        await world.advance(.milliseconds(500))
        let last = attempts()
        await world.virtual.advance(.minutes(10))
        await world.advance(.milliseconds(500))
        #expect(attempts() == last)
        #expect(await context.discoveryManager.devices.map(\.id) == ["aa11"])
        context.discoveryManager.startDiscovery()
        #expect(await world.advance(until: { attempts() > last }) != nil)
        watcher.cancel()
        #expect(await world.end(run) != nil)
    }

    @Test("contexts share nothing")
    func separate() async throws {
        let (first, second) = (ContextWorld([FakeReceiver()]), ContextWorld([]))
        let run = Task { await first.context.run() }
        let other = Task { await second.context.run() }
        let found = Locked(false)
        let watcher = Task {
            for await list in await first.context.discoveryManager.deviceLists where !list.isEmpty { found.value = true }
        }
        #expect(await first.advance(until: { found.value }) != nil)
        #expect(await second.context.discoveryManager.devices.isEmpty)
        for task in [run, other, watcher] { task.cancel() }
        let ended = Locked(0)
        let waiters = [run, other].map { task in
            Task {
                await task.value
                ended.value += 1
            }
        }
        #expect(await first.advance(until: { ended.value > 0 }) != nil)
        #expect(await second.advance(until: { ended.value == 2 }) != nil)
        for waiter in waiters { await waiter.value }
    }
}
