import ArgumentParser
import CastReceiverSimulator
import Logging
import NIOPosix
import UnixSignals

@main
struct CastSimulator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cast-simulator",
        abstract: "A fleet of simulated Google Cast devices that real senders believe.",
        discussion: """
            Every device is a TLS server on its own address, port 8009, announced by multicast DNS. On "lo" any address of 127.0.0.0/8 works; \
            on other interfaces the addresses must exist: ip address add 10.0.0.2/24 dev veth0.

            Prints "ready" when all are announced. SIGINT or SIGTERM ends it with a goodbye for every device.

            Examples:
              cast-simulator --devices 4 --groups 1 --list
              cast-simulator --devices 4 --control /tmp/sim.sock &
              echo '{"device":"sim-001","do":"play","title":"A film"}' | socat - /tmp/sim.sock
              cast-simulator run --devices 2 -- pytest
            """, subcommands: [Run.self])

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var behaviour: BehaviourOptions

    @Flag(help: "Print the devices of this fleet as a table, then go on.")
    var list = false

    func validate() throws {
        do { _ = try self.configuration() } catch { throw ValidationError(error.description) }
    }

    func run() async throws {
        DescriptorLimit.raise()
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .notice
            return handler
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: self.fleet.threads)
        do {
            try await self.serve(on: group)
        } catch {
            Output.error("cast-simulator: \(error)")
            try? await group.shutdownGracefully()
            throw ExitCode.failure
        }
        try await group.shutdownGracefully()
    }

    private func serve(on group: MultiThreadedEventLoopGroup) async throws {
        let fleet = try SimulatedFleet(configuration: try self.configuration(), group: group)
        if self.list { Output.line(Table.text(of: fleet.plan.devices)) }
        // Before the first socket, so that a signal at any time causes an orderly end.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        try await fleet.start()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await fleet.run { Output.line("ready") } }
            tasks.addTask { for await _ in signals { break } }
            try await tasks.next()
            tasks.cancelAll()
            try await tasks.waitForAll()
        }
    }

    private func configuration() throws(SimulatorError) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        self.fleet.apply(to: &configuration)
        try self.behaviour.apply(to: &configuration)
        _ = try configuration.plan()
        return configuration
    }
}
