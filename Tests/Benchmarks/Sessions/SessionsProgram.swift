import CastSender
import Glibc

/// Holds idle sessions and asks one device again and again, as a user of the library would; sessions.py does the same with pychromecast.
///
///     bench-sessions ID@HOST:PORT …
///
/// Reads requests line by line from standard input, and answers each with a line of JSON: `hold N` has sessions with the first N
/// devices, `ask N` asks the first one N times what plays. It ends with its input, or with an error instead of an answer. Its memory is
/// measured from outside.
@main
struct SessionsProgram {
    private let sessionManager: SessionManager
    private let devices: [Device]
    private var sessions: [CastSession] = []

    private init(_ context: CastContext, _ devices: [Device]) {
        self.sessionManager = context.sessionManager
        self.devices = devices
    }

    /// On the main thread, which waits for input; the library and the requests have others.
    @MainActor
    static func main() async {
        do throws(CastError) {
            var devices: [Device] = []
            for argument in CommandLine.arguments.dropFirst() { devices.append(try Self.device(argument)) }
            var options = CastOptions()
            options.startsDiscovery = false
            let context = try CastContext(options: options)
            let program = SessionsProgram(context, devices)
            let error = await withTaskGroup(of: Void.self) { group in
                group.addTask { await context.run() }
                let error = await program.serve()
                group.cancelAll()
                return error
            }
            if let error { throw error }
        } catch {
            print("\(error)")
            fflush(nil)
            exit(1)
        }
    }

    private static func device(_ argument: String) throws(CastError) -> Device {
        let parts = argument.split(separator: "@")
        guard parts.count == 2, let endpoint = DeviceEndpoint(String(parts[1])) else {
            throw CastError(.invalidRequest, detail: "ID@HOST:PORT is expected, not \(argument)")
        }
        return Device(id: String(parts[0]), friendlyName: String(parts[0]), endpoints: [endpoint])
    }

    /// Processes requests until the input ends.
    @MainActor
    private consuming func serve() async -> CastError? {
        do throws(CastError) {
            while let line = readLine() {
                let words = line.split(separator: " ")
                guard words.count == 2, let count = Int(words[1]) else {
                    throw CastError(.invalidRequest, detail: "a word and a number are expected, not \(line)")
                }
                switch words[0] {
                case "hold": print(try await self.hold(count))
                case "ask": print(try await self.ask(count))
                default: throw CastError(.invalidRequest, detail: "hold or ask is expected, not \(words[0])")
                }
                fflush(nil)
            }
            return nil
        } catch {
            return error
        }
    }

    /// Joins what plays on further devices. Each is asked once what that is, so that its status is held too.
    private mutating func hold(_ count: Int) async throws(CastError) -> String {
        while self.sessions.count < min(count, self.devices.count) {
            let session = try await self.sessionManager.join(self.devices[self.sessions.count])
            guard try await session.remoteMediaClient.requestStatus() != nil else {
                throw CastError(.noMediaSession, detail: "nothing plays")
            }
            self.sessions.append(session)
        }
        return "{\"sessions\":\(self.sessions.count)}"
    }

    /// One request after another. A tenth more at first aren't measured: they find their way and fill the allocator.
    private func ask(_ count: Int) async throws(CastError) -> String {
        guard let client = self.sessions.first?.remoteMediaClient else {
            throw CastError(.sessionIsNotActive, detail: "there is no session to ask")
        }
        for _ in 0..<count / 10 { try await client.requestStatus() }
        var roundTrips: [Int64] = []
        roundTrips.reserveCapacity(count)
        let before = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
        for _ in 0..<count {
            let asked = Self.nanoseconds(CLOCK_MONOTONIC)
            try await client.requestStatus()
            roundTrips.append(Self.nanoseconds(CLOCK_MONOTONIC) - asked)
        }
        let used = Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - before
        return "{\"cpu_ns\":\(used),\"round_trips_ns\":\(roundTrips)}"
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
