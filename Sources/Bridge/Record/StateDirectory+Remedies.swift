import BridgeCore
import Glibc

extension StateDirectory.Problem {
    /// The cause, for people.
    package var cause: String {
        switch self {
        case .missing: "there is no state directory that can be used"
        case .inUse(let path): "\(path) is in use by another cast2mqtt"
        case .notWritable(let path, let number): "\(path) can't be written: \(String(cString: strerror(number)))"
        case .notReadable(let path, let number, _): "\(path) can't be read: \(String(cString: strerror(number)))"
        }
    }

    /// What to do about it, in one sentence.
    package var remedy: String {
        switch self {
        case .missing: "The log of the start has the reason."
        case .inUse: "Stop that one, or give this one its own state_directory."
        case .notWritable(_, let number), .notReadable(_, let number, _): Self.remedy(number)
        }
    }

    private static func remedy(_ number: Int32) -> String {
        switch number {
        case ENOSPC, EDQUOT: "Make room on the disk of the state directory."
        case EACCES, EPERM: "Give the state directory and its files to the user of the bridge."
        case EROFS: "Mount the state directory writable."
        case EMFILE, ENFILE: "Raise the limit of open files (LimitNOFILE of the service)."
        case EBUSY, EXDEV: "Mount the folder instead of single files in it: a mounted file can't be replaced."
        case ENOLCK, EOPNOTSUPP: "Put the state directory on a file system that has locks."
        case ENOENT, ENOTDIR, ENAMETOOLONG: "Check that the path of the state directory is right and that it is still there."
        case EIO, ETIMEDOUT: "Check the disk of the state directory."
        default: "Check disk and owner of the state directory."
        }
    }
}

extension CommandResult {
    /// Returns the result of a change that a restart would undo, because it is not on disk.
    func notKept(_ problem: StateDirectory.Problem?) -> Self {
        guard let problem, !self.isError else { return self }
        var result = self
        result.message = "Done, but it is lost at the next start: \(problem.cause)."
        result.data.append("remembered", false)
        result.hint = problem.remedy
        return result
    }
}
