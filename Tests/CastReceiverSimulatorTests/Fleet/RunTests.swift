import Foundation
import TestSupport
import Testing

@testable import CastReceiverSimulator

/// `cast-simulator run`, with real namespaces.
@Suite("A command beside simulated devices", .timeLimit(.minutes(5)))
struct RunTests {
    private static func run(
        _ options: [String] = [], _ command: [String], environment: [String: String] = [:]
    ) async throws -> ChildProcess {
        try await ChildProcess("cast-simulator", ["run", "--devices", "2"] + options + ["--"] + command, environment: environment)
    }

    /// The processes with this marker in their environment.
    private static func processes(with marker: String) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.filter { Int($0) != nil }.filter {
            ((try? String(contentsOfFile: "/proc/\($0)/environ", encoding: .utf8)) ?? "").contains(marker)
        }
    }

    @Test(
        "ends with the status of the command",
        arguments: [("exit 7", 7), ("exit 0", 0), ("kill -KILL $$", 128 + 9), ("kill -TERM $$", 128 + 15)])
    func status(script: String, status: Int32) async throws {
        #expect(try await Self.run([], ["sh", "-c", script]).ended() == status)
    }

    @Test("a command that does not exist or can't be run, devices that can't start and wrong options have a status of their own")
    func failures() async throws {
        let missing = try await Self.run([], ["no-such-command"])
        #expect(try await missing.ended() == 127)
        #expect(missing.text.contains("no-such-command: No such file"))
        #expect(try await Self.run([], ["/etc"]).ended() == 126)
        let devices = try await Self.run(["--journal", "/nowhere/at/all"], ["echo", "it ran"])
        #expect(try await devices.ended() == 125)
        #expect(devices.text.contains("/nowhere/at/all") && !devices.text.contains("it ran"))
        #expect(try await Self.run(["--sabotage", "nonsense"], ["true"]).ended() == 64)
        #expect(try await Self.run([], []).ended() == 64)
        #expect(try await Self.run(["--list"], ["true"]).ended() == 64)
    }

    @Test("a machine that allows no namespace is named, with what to do")
    func forbidden() async throws {
        let script = "echo 0 >/proc/sys/user/max_net_namespaces; exec \(try Programs.locate("cast-simulator")) run -- echo it ran"
        let process = try await ChildProcess("unshare", ["--user", "--map-root-user", "sh", "-c", script])
        #expect(try await process.ended() == 125)
        #expect(process.text.contains("cannot make a network namespace") && process.text.contains("sysctl"))
        #expect(!process.text.contains("it ran"))
    }

    @Test("arguments, output and input are the command's own, and no shell reads them")
    func words() async throws {
        let echo = try await Self.run([], ["printf", "%s|", "$HOME *", "--devices", ""])
        #expect(try await echo.ended() == 0)
        #expect(echo.text == "$HOME *|--devices||")
    }

    @Test("the devices answer, at the addresses and with the files of the environment; the card is the only way out")
    func environment() async throws {
        let script = """
            import json, os, socket
            for address in os.environ["CAST_SIMULATOR_ADDRESSES"].split():
                socket.create_connection(address.rsplit(":", 1)).close()
            control = socket.socket(socket.AF_UNIX)
            control.connect(os.environ["CAST_SIMULATOR_CONTROL"])
            control.sendall(b'{"do":"list"}\\n')
            devices = json.loads(control.makefile().readline())["devices"]
            print(os.environ["CAST_SIMULATOR_ADDRESSES"], *[f"{one['address']}:{one['port']}" for one in devices])
            root, journal = (open(os.environ["CAST_SIMULATOR_" + name]).read() for name in ("AUTHENTICATION_ROOT", "JOURNAL"))
            print(root[:27], '"start"' in journal)
            print(sorted(name for _, name in socket.if_nameindex()), os.getuid(), os.getpid() < 20)
            """
        let process = try await Self.run(["--groups", "1"], ["python3", "-c", script])
        #expect(try await process.ended() == 0, "\(process.text)")
        let lines = process.lines
        let words = lines[0].split(separator: " ")
        #expect(words.count == 6 && words.prefix(3) == words.suffix(3) && words[0] == "10.98.0.2:8009")
        #expect(lines[1] == "-----BEGIN CERTIFICATE----- True")
        #expect(lines[2] == "['cast0', 'cast1', 'lo'] \(getuid()) True")
    }

    @Test(
        "a sender finds the devices by multicast DNS",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() })
    func discovery() async throws {
        let python = try await PythonEnvironment.prepare()
        let script = """
            import pychromecast
            found, browser = pychromecast.get_listed_chromecasts(friendly_names=["Balcony (simulated)"], timeout=60)
            found[0].wait(60)
            print(found[0].cast_info.host, found[0].status.volume_level)
            browser.stop_discovery()
            """
        let process = try await Self.run([], [python, "-c", script], environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        #expect(try await process.ended() == 0, "\(process.text)")
        #expect(process.text.hasPrefix("10.98.0.2 "))
    }

    @Test("the Python client of Examples sends every request, and knows every member of the answers and of the journal")
    func client() async throws {
        let script = PythonEnvironment.scripts.appendingPathComponent("simulator_client.py").path
        let process = try await ChildProcess(
            "cast-simulator", ["run", "--devices", "3", "--groups", "1", "--answer-delay", "0", "--", "python3", script])
        #expect(try await process.ended() == 0, "\(process.text)")
        #expect(process.lines.last == "done")
    }

    @Test("other addresses, files and scenarios are used as with the plain command, and given files remain")
    func options() async throws {
        let directory = try TemporaryDirectory()
        let process = try await Self.run(
            ["--address-base", "192.168.7.10", "--journal", directory.file("journal"), "--control", directory.file("control")],
            ["sh", "-c", "echo $CAST_SIMULATOR_ADDRESSES $CAST_SIMULATOR_JOURNAL; test -S $CAST_SIMULATOR_CONTROL"])
        #expect(try await process.ended() == 0)
        #expect(process.text == "192.168.7.10:8009 192.168.7.11:8009 \(directory.file("journal"))\n")
        let events = TemporaryDirectory.lines(directory.file("journal")).compactMap { $0["event"]?.text }
        #expect(events == ["start", "start", "stop", "stop"], "the devices said goodbye")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["journal"])
    }

    @Test("signals reach the command, which decides", arguments: [SIGTERM, SIGINT, SIGHUP, SIGUSR1])
    func signals(signal: Int32) async throws {
        let trap = "trap 'echo received; exit 3' TERM INT HUP USR1; echo up; while :; do sleep 0.1; done"
        let process = try await Self.run([], ["sh", "-c", trap])
        try await process.line(containing: "up")
        process.signal(signal)
        #expect(try await process.ended() == 3)
        #expect(process.lines == ["up", "received"])
        let plain = try await Self.run([], ["sh", "-c", "echo up; exec sleep 1000"])
        try await plain.line(containing: "up")
        plain.signal(signal)
        #expect(try await plain.ended() == 128 + signal)
    }

    @Test("a terminal's Ctrl-C reaches the command once, and what is typed is its input")
    func terminal() async throws {
        let script = #"""
            import os, pty, sys
            pid, terminal = pty.fork()
            if pid == 0:
                command = "trap 'echo received' INT; echo up; until read line; do :; done; echo got $line; exit 6"
                os.execv(sys.argv[1], ["cast-simulator", "run", "--devices", "1", "--", "sh", "-c", command])
            output = b""
            for awaited, typed in ((b"up", b"\x03"), (b"received", b"hello\n"), (b"got hello", b"")):
                while awaited not in output:
                    output += os.read(terminal, 1000)
                os.write(terminal, typed)
            print(output.count(b"received"), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """#
        let process = try await ChildProcess("python3", ["-c", script, Programs.locate("cast-simulator")])
        #expect(try await process.ended() == 0, "\(process.text)")
        #expect(process.text == "1 6\n")
    }

    @Test("nothing is left: no process, no namespace, no file", arguments: ["end", "kill", "kill the group", "kill the keeper"])
    func nothingLeft(how: String) async throws {
        let marker = "RUN_TEST_MARKER=\(UUID().uuidString)"
        let script = "setsid sleep 1000 & setsid sleep 1001 & echo $CAST_SIMULATOR_CONTROL; " + (how == "end" ? "exit 4" : "sleep 1002")
        // It leads a process group of its own, as a job of a shell does.
        let process = try await ChildProcess(
            "setsid", [Programs.locate("cast-simulator"), "run", "--devices", "1", "--", "sh", "-c", script],
            environment: ["RUN_TEST_MARKER": String(marker.dropFirst(16))])
        let folder = (try await process.line(containing: "/control") as NSString).deletingLastPathComponent
        if how != "end" {
            try await eventually("all run") { Self.processes(with: marker).count == 7 }
            let keeper = try #require(Self.processes(with: marker).compactMap { Int32($0) }.first { Self.parent(of: $0) == process.pid })
            switch how {
            case "kill": kill(process.pid, SIGKILL)
            case "kill the group": kill(-process.pid, SIGKILL)
            default: kill(keeper, SIGKILL)
            }
        }
        #expect(try await process.ended() == ["end": 4, "kill the keeper": 128 + SIGKILL][how, default: -SIGKILL])
        try await eventually("no process is left") { Self.processes(with: marker).isEmpty }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    private static func parent(of pid: Int32) -> Int32? {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        return status.split(separator: "\n").first { $0.hasPrefix("PPid:") }.flatMap { Int32($0.split(separator: "\t")[1]) }
    }

    @Test("another user than root makes the namespaces, too, and stays who it is")
    func user() async throws {
        let user = geteuid() == 0 ? 65534 : getuid()
        let prefix = geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : ["env"]
        let process = try await ChildProcess(
            prefix[0],
            prefix.dropFirst() + [Programs.locate("cast-simulator"), "run", "--", "sh", "-c", "id -u; test -S $CAST_SIMULATOR_CONTROL"])
        #expect(try await process.ended() == 0, "\(process.text)")
        #expect(process.text == "\(user)\n")
    }
}
