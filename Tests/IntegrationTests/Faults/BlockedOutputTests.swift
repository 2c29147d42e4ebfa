import Foundation
import TestSupport
import Testing

/// The log goes to a pipe whose reader has stopped.
@Suite("A standard error without a reader")
struct BlockedOutputTests {
    /// A named pipe that holds 4 KiB, open for as long as this object exists.
    private final class NamedPipe: Sendable {
        let path: String
        private let descriptor: Int32

        init(_ path: String) throws {
            self.path = path
            try #require(mkfifo(path, 0o600) == 0)
            self.descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            // F_SETPIPE_SZ, which Swift's Glibc leaves out.
            try #require(fcntl(self.descriptor, 1031, 4096) >= 4096)
        }

        deinit { close(self.descriptor) }

        var isFull: Bool {
            var state = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&state, 1, 0) == 0
        }

        /// Everything that is in the pipe now.
        func read() -> String {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Foundation.read(self.descriptor, &buffer, buffer.count)
                guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
                bytes += buffer.prefix(count)
            }
        }
    }

    @Test("keeps the bridge neither from answering commands nor from ending")
    func blocked() async throws {
        let house = try await Household.onOneHost()
        let pipe = try NamedPipe(house.folder + "/log")
        try await house.broker.start()
        let watcher = try await house.watch()
        try await house.startDevices(1)
        // Each is a line in the log.
        for number in 1...100 { try await house.sender.publish("x", to: "cast2mqtt/nobody-\(number)/set/volume", retain: true) }
        let bridge = try await house.startBridge(standardError: pipe.path)
        try await house.allOnline(watcher)
        let slug = try #require(try await house.slugs(watcher)["sim-001"])
        try #require(pipe.isFull)
        for volume in [11, 22, 33] {
            try await house.sender.publish("\(volume)", to: "cast2mqtt/\(slug)/set/volume")
            try await watcher.current("cast2mqtt/\(slug)/status/volume") { $0.text == "\(volume)" }
        }
        let answer = try await house.request("health_check", "", watcher)
        #expect(answer["code"] as? String == "done")
        try #require(pipe.isFull)
        let asked = ContinuousClock.now
        bridge.signal(SIGTERM)
        #expect(try await bridge.ended() == 0)
        #expect(.now - asked < .seconds(5))
        #expect(watcher.current["cast2mqtt/bridge/state"]?.text == "offline")
    }

    @Test("loses no line once it is read again: the last one is the end")
    func readAgain() async throws {
        let house = try await Household.onOneHost()
        let pipe = try NamedPipe(house.folder + "/log")
        try await house.broker.start()
        let watcher = try await house.watch()
        for number in 1...100 { try await house.sender.publish("x", to: "cast2mqtt/nobody-\(number)/set/volume", retain: true) }
        let bridge = try await house.startBridge(standardError: pipe.path)
        try await watcher.current("cast2mqtt/bridge/state") { $0.text == "online" }
        try #require(pipe.isFull)
        bridge.signal(SIGTERM)
        var log = ""
        try await eventually("the bridge has ended, and what it wrote is read") {
            let hasEnded = bridge.exitCode != nil
            log += pipe.read()
            return hasEnded
        }
        #expect(log.contains("starting") && log.contains("bridge online"))
        #expect(log.split(separator: "\n").last?.contains("INFO cast2mqtt: ended") == true)
    }
}
