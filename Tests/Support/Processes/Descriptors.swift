import Foundation

/// What children inherit.
public enum Descriptors {
    /// Keeps every open descriptor of this process but the standard ones from its children.
    ///
    /// A listening socket that a child inherits goes on taking connections after its owner has closed it.
    public static func keepToOurselves() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        for descriptor in names.compactMap({ Int32($0) }) where descriptor > STDERR_FILENO { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    }
}
