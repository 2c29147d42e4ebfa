import Foundation

/// Finds the programs that tests run.
public enum Programs {
    /// A program that is not installed, with where it was looked for.
    public struct NotFound: Error, CustomStringConvertible {
        public var description: String
    }

    /// The path of a program: as given when it has a slash, else from the search path, the system folders, and our own build.
    public static func locate(_ name: String) throws -> String {
        if name.contains("/") { return name }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = [Self.buildFolder] + path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
        guard let folder = folders.first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }) else {
            throw NotFound(description: "\(name) is not in \(folders.joined(separator: ":")); run scripts/bootstrap")
        }
        return "\(folder)/\(name)"
    }

    /// Where the test runner lies, and with it the programs of this package.
    static var buildFolder: String {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return (executable as NSString).deletingLastPathComponent
    }
}
