import Glibc

/// A program that is run to its end, such as `openssl`.
///
/// Foundation's `Process.waitUntilExit` turns a run loop of the calling thread; on a thread of Swift's pool it has been seen to wait for ever.
public enum ShortProgram {
    public struct Failure: Error, CustomStringConvertible {
        public var description: String
    }

    /// Blocks until the end.
    ///
    /// - Parameter words: as for `env`: a program of the search path, after options of `env` if any.
    /// - Throws: what it printed, when it failed.
    public static func run(_ words: [String]) throws {
        var template = Array("/tmp/program-XXXXXX".utf8CString)
        let file = mkstemp(&template)
        guard file >= 0 else { throw Failure(description: "no temporary file: \(errno)") }
        unlink(template)
        defer { close(file) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, file, 1)
        posix_spawn_file_actions_adddup2(&actions, file, 2)
        guard let pid = Self.spawn(["/usr/bin/env"] + words, &actions) else { throw Failure(description: "cannot start \(words)") }
        var status: Int32 = -1
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        if status == 0 { return }
        var text = [UInt8](repeating: 0, count: 4000)
        let count = pread(file, &text, text.count, 0)
        throw Failure(description: "\(words.joined(separator: " ")) failed: \(String(decoding: text.prefix(max(0, count)), as: UTF8.self))")
    }

    private static func spawn(_ words: [String], _ actions: inout posix_spawn_file_actions_t) -> pid_t? {
        // A child inherits the blocked signals of the thread that starts it, and a pool's threads block all.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var pid: pid_t = 0
        return posix_spawn(&pid, words[0], &actions, &attributes, &pointers, environ) == 0 ? pid : nil
    }
}
