import Foundation
import TestSupport
import Testing

/// What the program gets from the system beside its configuration: signals and arguments.
@Suite("The program and its system")
struct ProgramTests {
    @Test("a signal that means nothing to the bridge does not end it; HUP is logged")
    func signals() async throws {
        let house = try await Household.onOneHost()
        let bridge = try await ChildProcess(
            "cast2mqtt", ["run"], environment: ["CAST2MQTT_STATE_DIRECTORY": house.stateDirectory], namespace: house.hosts.bridge)
        try await bridge.line(containing: "bridge online")
        for signal in [SIGUSR1, SIGUSR2, SIGHUP] { bridge.signal(signal) }
        try await bridge.line(containing: "configuration read again")
        let health = try await ChildProcess(
            "cast2mqtt", ["health"], environment: ["CAST2MQTT_STATE_DIRECTORY": house.stateDirectory], namespace: house.hosts.bridge)
        #expect(try await health.ended() == 0, "\(health.lines)")
        bridge.signal(SIGTERM)
        #expect(try await bridge.ended() == 0)
    }

    @Test("arguments are found although a preloaded library has set a variable of the environment")
    func preloaded() throws {
        let library = NSTemporaryDirectory() + "preloaded-\(UUID().uuidString).so"
        defer { try? FileManager.default.removeItem(atPath: library) }
        let source = "#include <stdlib.h>\\n__attribute__((constructor)) static void set(void) { setenv(\"PRELOADED\", \"1\", 1); }"
        let program = try Programs.locate("cast2mqtt")
        let output = try ShortProgram.run([
            "sh", "-c", #"printf "$1" | clang -shared -fPIC -x c -o "$2" - && LD_PRELOAD="$2" "$0" --version"#, program,
            source, library,
        ])
        #expect(output.hasPrefix("cast2mqtt "), "\(output)")
    }
}
