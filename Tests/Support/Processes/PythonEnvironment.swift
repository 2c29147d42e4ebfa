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
        // Test processes run beside each other: the first one makes it, the others wait.
        let script = """
            cmp -s "$1/requirements.txt" "$2" && exit
            python3 -m venv --clear "$1" && "$1/bin/python" -m pip install --quiet --requirement "$2" && cp "$2" "$1/requirements.txt"
            """
        let process = try await ChildProcess(
            "flock",
            [
                self.directory.path + ".lock", "sh", "-c", script, "-", self.directory.path,
                self.scripts.appendingPathComponent("requirements.txt").path,
            ])
        guard try await process.ended(within: .seconds(800)) == 0 else {
            throw ConditionNotMet(description: "no Python environment: \(process.text)")
        }
        return self.directory.appendingPathComponent("bin/python").path
    }
}
