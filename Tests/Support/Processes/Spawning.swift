import Glibc

/// Starts programs with nothing of ours but what is named: no descriptor, no blocked signal, no ignored one.
///
/// Foundation's `Process` waits by a run loop and hands each child a socket to learn of its end by. With several starts at a time both
/// have been seen to wait for ever. A listening socket that a child inherits goes on taking connections after its owner has closed it.
enum Spawning {
    /// Returns the child's process id; whoever starts it waits for it.
    ///
    /// - Parameters:
    ///   - words: a path and its arguments.
    ///   - environment: all of it, as `name=value`; `nil` for ours.
    ///   - output: receives both output streams; standard input is empty.
    static func spawn(_ words: [String], environment: [String]? = nil, output: Int32) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        guard let closeFrom else { throw ConditionNotMet(description: "this C library is older than 2.34") }
        _ = withUnsafeMutablePointer(to: &actions) { closeFrom($0, STDERR_FILENO + 1) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A child inherits the blocked signals of the thread that starts it, and a pool's threads block all.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var variables = (environment ?? []).map { strdup($0) } + [nil]
        defer { for variable in variables { free(variable) } }
        var pid: pid_t = 0
        let problem =
            environment == nil
            ? posix_spawn(&pid, words[0], &actions, &attributes, &arguments, environ)
            : posix_spawn(&pid, words[0], &actions, &attributes, &arguments, &variables)
        guard problem == 0 else {
            throw ConditionNotMet(description: "\(words[0]) can't be started: \(String(cString: strerror(problem)))")
        }
        return pid
    }

    /// A pipe; `spawn` lets no child inherit it.
    static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { throw ConditionNotMet(description: "no pipe: \(String(cString: strerror(errno)))") }
        return (ends[0], ends[1])
    }

    /// Waits for the end of a child: its exit code, or the negative number of the signal that ended it.
    static func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 { if errno != EINTR { return -1 } }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }

    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// Found by name: the header shows it to programs that ask for GNU extensions only, which Swift's import doesn't.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map { unsafeBitCast($0, to: CloseFrom.self) }
}
