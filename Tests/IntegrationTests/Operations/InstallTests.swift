import Foundation
import TestSupport
import Testing

/// `scripts/install` with stand-ins for what it builds, and what goes with it.
@Suite("Installing")
struct InstallTests {
    private static let programs = ["cast2mqtt", "cast-simulator"]
    private static let script = FlowRun.root.appendingPathComponent("scripts/install").path

    @Test("installs both programs below DESTDIR and PREFIX, also over existing ones")
    func install() throws {
        let folder = NSTemporaryDirectory() + "install-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder + "/built", withIntermediateDirectories: true)
        let command = ["DESTDIR=\(folder)/package", "PREFIX=/opt/x", Self.script, "--binaries", folder + "/built"]
        try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: folder + "/built/cast2mqtt")
        #expect(throws: ShortProgram.Failure.self) { try ShortProgram.run(command) }
        try FileManager.default.copyItem(atPath: "/usr/bin/true", toPath: folder + "/built/cast-simulator")
        for _ in 1...2 { try ShortProgram.run(command) }
        let installed = try FileManager.default.contentsOfDirectory(atPath: folder + "/package/opt/x/bin").sorted()
        #expect(installed == Self.programs.sorted())
        for program in installed { try ShortProgram.run(["\(folder)/package/opt/x/bin/\(program)"]) }
        let relative = #expect(throws: ShortProgram.Failure.self) { try ShortProgram.run(["DESTDIR=package"] + command.dropFirst()) }
        #expect(relative?.description.contains("not an absolute path: package/opt/x/bin") == true)
    }

    @Test("a release has one version everywhere, and the changelog's section as its notes")
    func release() throws {
        let folder = NSTemporaryDirectory() + "release-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let script = """
            cd "$0" && git ls-files -z | tar --null --files-from - -cf - | tar -xf - -C "$1" && cd "$1"
            refused() { if "$@" >/dev/null 2>&1; then echo "not refused: $*" >&2; exit 1; fi; }
            refused scripts/release-notes "$(sed -n 's/.*let version = "\\(.*\\)"/\\1/p' Sources/cast2mqtt/Program.swift)"
            refused scripts/release 9.8
            scripts/release 9.8.7
            refused scripts/release 9.8.8
            scripts/release-notes 9.8.7
            mkdir files && touch files/a.deb files/a.tar.gz files/a.json files/a.zip
            scripts/publish --print files 9.8.7 files | sed -n 1p
            scripts/publish --print images 9.8.7 2>/dev/null | grep -c '^docker build .*SWIFT=docker inspect .*DEBIAN=docker inspect .*bookworm-slim '
            grep -rlF '9.8.7' Sources/cast2mqtt/Program.swift docker home-assistant-app custom_components CHANGELOG.md | wc -l
            scripts/release 9.9.0 --unreleased
            """
        let printed = try ShortProgram.run(["bash", "-euo", "pipefail", "-c", script, FlowRun.root.path, folder])
        #expect(printed.contains("\n### Added\n") && !printed.contains("\n## ["))
        #expect(printed.contains("\ngh release create v9.8.7 --verify-tag"))
        #expect(printed.hasSuffix("\n3\n5\nrelease: the version is 9.9.0\n"), "\(printed.suffix(200))")
    }

    @Test("the service starts what is installed without further words")
    func service() throws {
        let unit = try MonitoringTests.text("config/systemd/cast2mqtt.service")
        let prefix = try #require(try MonitoringTests.text("Makefile").firstMatch(of: /\nPREFIX \?= (\S+)\n/)?.1)
        #expect(unit.contains("\nExecStart=\(prefix)/bin/cast2mqtt run\n"))
        #expect(unit.contains("\nType=notify\n") && unit.contains("\nWatchdogSec=30\n"))
    }

    @Test("the service of several instances is the same but for the instance's files")
    func instances() throws {
        let lines = { (name: String) throws in try MonitoringTests.text("config/systemd/\(name)").split(separator: "\n").dropFirst() }
        let (one, several) = (try lines("cast2mqtt.service"), try lines("cast2mqtt@.service"))
        #expect(one.count == several.count)
        let changed = zip(one, several).filter { $0 != $1 }.map { String($1) }
        #expect(
            changed == [
                "Description=Google Cast devices on MQTT (%i)",
                "ExecStart=/usr/local/bin/cast2mqtt run --config /etc/cast2mqtt/%i.yaml",
                "ExecReload=/usr/local/bin/cast2mqtt request reload --config /etc/cast2mqtt/%i.yaml",
                "EnvironmentFile=-/etc/default/cast2mqtt-%i",
                "# /var/lib/cast2mqtt-INSTANCE, which the program finds as $STATE_DIRECTORY.", "StateDirectory=cast2mqtt-%i",
                "# /var/cache/cast2mqtt-INSTANCE, for pictures, while artwork.image is on; the program finds it as $CACHE_DIRECTORY.",
                "CacheDirectory=cast2mqtt-%i",
                "# /run/cast2mqtt-INSTANCE, for the control socket and the setup code; the program finds it as $RUNTIME_DIRECTORY. "
                    + "Members of the group cast2mqtt reach the socket.",
                "RuntimeDirectory=cast2mqtt-%i",
            ])
    }

    @Test("lines for the journal have a priority in place of the time; other lines keep theirs", arguments: [true, false])
    func journal(isJournal: Bool) throws {
        let folder = NSTemporaryDirectory() + "journal-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let script = """
            exec 2>"$1/log"
            export JOURNAL_STREAM=$(\(isJournal ? "stat -L -c %d:%i /proc/self/fd/2" : "echo 1:2"))
            export CAST2MQTT_MQTT_HOST=127.0.0.1 CAST2MQTT_MQTT_PORT=1 CAST2MQTT_DISCOVERY_MDNS=false CAST2MQTT_STATE_DIRECTORY="$1" CAST2MQTT_FAN_OUT=no
            "$0" run & pid=$!
            until grep -q deprecated "$1/log"; do sleep 0.05; done
            kill $pid; wait $pid || true
            cat "$1/log"
            """
        let log = try ShortProgram.run(["bash", "-c", script, try Programs.locate("cast2mqtt"), folder])
        let warning = try #require(log.split(separator: "\n").first { $0.contains("deprecated") })
        #expect(warning.hasPrefix("<4>WARNING cast2mqtt: configuration warning ") == isJournal, "\(log)")
        #expect(warning.contains("Z WARNING ") != isJournal)
        #expect(warning.contains("CAST2MQTT_FAN_OUT: deprecated; use CAST2MQTT_COMMANDS_FAN_OUT"))
        #expect(("\n" + log).contains(isJournal ? "\n<6>INFO " : "Z INFO "))
    }

    @Test("the service's exposure, as systemd judges it, is at most 1.5, and the judgement can fail")
    func exposure() throws {
        let judge = ["systemd-analyze", "security", "--offline=true", "--no-pager"]
        let unit = FlowRun.root.appendingPathComponent("config/systemd/cast2mqtt.service").path
        try ShortProgram.run(judge + ["--threshold=15", unit])
        #expect(throws: ShortProgram.Failure.self) { try ShortProgram.run(judge + ["--threshold=1", unit]) }
    }
}
