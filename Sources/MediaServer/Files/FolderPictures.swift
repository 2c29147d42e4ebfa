import BridgeCore
import Glibc
import Synchronization

/// The names of the pictures in the folders that were asked for last: a page of a folder asks for the picture of each of its files.
final class FolderPictures: Sendable {
    private struct Listing {
        let path: MediaPath
        let folder: stat
        let names: [String: String]
    }

    private static let limit = 8

    /// The newest last. Held while a folder is read, so that requests for its pictures read it once.
    private let listings = Mutex<[Listing]>([])
    private let count = Atomic(0)
    /// How often a folder was read, for tests.
    var readings: Int { self.count.load(ordering: .relaxed) }

    /// Returns what is known of an open folder, and closes it; or reads it.
    func names(in descriptor: Int32, of path: MediaPath, read: () -> [String: String]?) -> [String: String]? {
        self.listings.withLock { listings in
            var folder = stat()
            let isKnown = fstat(descriptor, &folder) == 0
            if isKnown, let known = listings.first(where: { $0.path == path && $0.folder.isSame(as: folder) }) {
                close(descriptor)
                return known.names
            }
            listings.removeAll { $0.path == path }
            self.count.add(1, ordering: .relaxed)
            let names = read()
            // Within the same second a folder may change again without another time.
            if isKnown, let names, folder.st_mtim.tv_sec < time(nil) - 1 {
                listings.append(Listing(path: path, folder: folder, names: names))
                if listings.count > Self.limit { listings.removeFirst() }
            }
            return names
        }
    }
}

extension stat {
    /// Whether nothing came into the folder and nothing left it.
    fileprivate func isSame(as other: stat) -> Bool {
        (self.st_dev, self.st_ino, self.st_mtim.tv_sec, self.st_mtim.tv_nsec)
            == (other.st_dev, other.st_ino, other.st_mtim.tv_sec, other.st_mtim.tv_nsec)
    }
}
