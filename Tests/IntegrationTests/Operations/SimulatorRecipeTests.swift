import Foundation
import TestSupport
import Testing

/// The recipes of `docs/SIMULATOR.md` for the CI of other projects, as they are written there. `make test-home-assistant` runs the one of Home Assistant.
@Suite("The recipes of the simulator's guide")
struct SimulatorRecipeTests {
    @Test(
        "a recipe succeeds, and fails when the devices are broken",
        .enabled("needs python3 with venv and pip, and PyPI; in CI it must run") { try await PythonEnvironment.isUsableOrRequired() },
        .timeLimit(.minutes(15)), arguments: ["pychromecast with pytest", "Chromium with Playwright"])
    func recipe(title: String) async throws {
        let script = PythonEnvironment.root.appendingPathComponent("Tests/Documents/recipes.py").path
        let binaries = URL(fileURLWithPath: try Programs.locate("cast-simulator")).deletingLastPathComponent().path
        let folder = PythonEnvironment.root.appendingPathComponent(".build/recipes").path
        let process = try await ChildProcess(
            "python3", [script, "--binaries", binaries, "--folder", folder, title],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"])
        #expect(try await process.ended(within: .seconds(800)) == 0, "\(process.text)")
    }
}
