import Foundation

/// A virtual environment with the packages of `Tests/Interop/requirements.txt`, kept below `.build` from one run to the next.
public enum PythonEnvironment {
    public static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
    public static let scripts = root.appendingPathComponent("Tests/Interop")
    private static let directory = root.appendingPathComponent(".build/interop-venv")

    /// In CI the test is never left out: it then fails where the environment cannot be made.
    public static func isUsableOrRequired() async throws -> Bool {
        if ProcessInfo.processInfo.environment["CI"] != nil { return true }
        return (try? await self.prepare()) != nil
    }

    /// Path of a program of the environment.
    public static func program(_ name: String) async throws -> String {
        _ = try await self.prepare()
        return self.directory.appendingPathComponent("bin/\(name)").path
    }

    /// Path of the environment's interpreter.
    public static func prepare() async throws -> String { try await self.preparation.value }

    // Made once in a process, however many tests ask for it at the same time.
    private static let preparation = Task { try await Self.make() }

    private static func make() async throws -> String {
        let python = self.directory.appendingPathComponent("bin/python").path
        let requirements = self.scripts.appendingPathComponent("requirements.txt")
        let marker = self.directory.appendingPathComponent("requirements.txt")
        let wanted = try String(contentsOf: requirements, encoding: .utf8)
        if (try? String(contentsOf: marker, encoding: .utf8)) == wanted { return python }
        for (program, arguments) in [
            ("/usr/bin/env", ["python3", "-m", "venv", "--clear", self.directory.path]),
            (python, ["-m", "pip", "install", "--quiet", "--requirement", requirements.path]),
        ] {
            let result = try await self.run(program, arguments)
            guard result.status == 0 else { throw ConditionNotMet(description: "no Python environment: \(result.output)") }
        }
        try wanted.write(to: marker, atomically: true, encoding: .utf8)
        return python
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = try await ChildProcess(program, arguments)
        let status = try await process.ended(within: .seconds(400))
        return (status, process.text)
    }
}
