import CastReceiverSimulator
import CastSender
import NIOPosix
import Testing

/// The Swift of CastReceiverSimulator.docc and of docs/SIMULATOR.md: GuideTests finds each block here, line by line.
@Suite("The simulator's guide")
struct SimulatorGuideTests {
    @Test("loads a film, and resumes its session after a broken connection")
    func resumes() async throws {
        var configuration = SimulatorConfiguration()
        configuration.devices = 1
        configuration.interfaces = nil
        configuration.addressBase = "127.\(Int.random(in: 1...19)).\(Int.random(in: 1...250)).1"
        let fleet = try SimulatedFleet(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton)
        try await fleet.start()

        var options = CastOptions()
        options.discovery.isMulticastEnabled = false
        options.discovery.knownHosts = fleet.plan.devices.compactMap { KnownHost($0.address) }
        let context = try CastContext(options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await fleet.run() }
            group.addTask { await context.run() }
            defer { group.cancelAll() }

            let device = try #require(await context.discoveryManager.deviceLists.first { !$0.isEmpty }?.first)
            let session = try await context.sessionManager.start(on: device)
            let film = MediaInformation(contentID: "http://media/film.mp4", contentType: "video/mp4")
            try await session.remoteMediaClient.load(MediaLoadRequest(media: film))
            let state = try await fleet.control("sim-001", .state)
            #expect(state["content_id"]?.text == film.contentID)

            let events = context.sessionManager.events
            try await fleet.control("sim-001", .reset)
            for await case .event(let event) in events where event.transition == .didResume { break }
            #expect(await context.sessionManager.session(with: device.id) != nil)
        }
    }

    /// The block about sabotage, compiled.
    private func sabotaged() -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.settings.sabotages = [.launchUnanswered]
        return configuration
    }

    /// The block of docs/SIMULATOR.md, compiled.
    private func inSwift() async throws {
        var configuration = SimulatorConfiguration()
        configuration.devices = 2
        configuration.interfaces = nil  // announce nothing; ["lo"] to be found
        let fleet = try SimulatedFleet(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton)
        try await fleet.start()  // every device listens now
        try await fleet.control("sim-001", .remote(.load(RemoteItem(url: "http://media/film.mp4", title: "A film"))))
        let state = try await fleet.control("sim-001", .state)
        print(state["player"]?.text ?? "")  // a sender should report the same
        await fleet.stop()
    }
}
