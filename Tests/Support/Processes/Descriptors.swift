import Foundation

/// What children inherit.
public enum Descriptors {
    private static let starting = NSLock()

    /// Starts a process that inherits none of our open descriptors but the standard ones.
    ///
    /// A listening socket that a child inherits goes on taking connections after its owner has closed it. One start at a time: `Process`
    /// hands its child a socket to learn of its end by, and one closed by another start makes it wait for that child and no other.
    public static func start(_ process: Process) throws {
        self.starting.lock()
        defer { self.starting.unlock() }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in names.compactMap({ Int32($0) }) where descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        try process.run()
    }
}
