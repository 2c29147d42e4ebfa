import BridgeConfiguration
import Foundation

/// Loads a file that holds `yaml`, or none, with these variables and secret files.
func load(
    _ yaml: String? = nil, environment: [String: String] = [:], files: [String: String] = [:]
) throws(ConfigurationError) -> Configuration {
    try ConfigurationLoader.load(argument: yaml == nil ? nil : "test.yaml", environment: environment) { path in
        if path == "test.yaml", let yaml { return .bytes(Array(yaml.utf8)) }
        return files[path].map { .bytes(Array($0.utf8)) } ?? .missing
    }.configuration
}

/// The problems in the same, as lines; empty when nothing is.
func problems(_ yaml: String? = nil, environment: [String: String] = [:], files: [String: String] = [:]) -> [String] {
    do throws(ConfigurationError) {
        _ = try load(yaml, environment: environment, files: files)
        return []
    } catch {
        return error.problems.map(\.description)
    }
}

/// A file of the repository.
func repositoryFile(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
}
