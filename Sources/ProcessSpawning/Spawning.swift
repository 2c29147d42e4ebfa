import Glibc

/// Starts programs that inherit only the named resources: no other descriptor, no blocked signal, no ignored one.
///
/// Foundation's `Process` waits with a run loop and passes each child a socket by which it detects the end. With several starts at a time
/// both have been seen to wait forever. A socket that a child inherits stays open after its owner has closed it.
package enum Spawning {
    /// Starts a program and returns the child's process id; the caller must wait for the child.
    ///
    /// - Parameters:
    ///   - words: the path and its arguments.
    ///   - environment: the complete environment as `name=value`; `nil` for ours.
    ///   - input: standard input; `nil` is empty.
    ///   - output: receives both output streams.
    ///   - dropsErrors: whether it receives standard output alone.
    ///   - ownGroup: whether the child leads a process group of its own, so that a terminal's Ctrl-C reaches only us.
    package static func spawn(
        _ words: [String], environment: [String]? = nil, input: Int32? = nil, output: Int32, dropsErrors: Bool = false,
        ownGroup: Bool = false
    ) throws(SpawnError) -> pid_t {
        guard let program = words.first else { throw SpawnError(code: EINVAL, program: "") }
        guard let closeFrom else { throw SpawnError(code: ENOSYS, program: program) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if dropsErrors {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        } else {
            posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        }
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
        posix_spawnattr_setpgroup(&attributes, 0)
        let group = ownGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))

        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var variables = (environment ?? []).map { strdup($0) } + [nil]
        defer { for variable in variables { free(variable) } }
        var pid: pid_t = 0
        let code =
            environment == nil
            ? posix_spawn(&pid, program, &actions, &attributes, &arguments, environ)
            : posix_spawn(&pid, program, &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw SpawnError(code: code, program: program) }
        return pid
    }

    /// Waits for the end of a child and returns its exit code, or the negative number of the signal that ended it.
    package static func wait(for pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 { if errno != EINTR { return -1 } }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : -signal
    }

    private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    /// Looked up by name: the header declares it only for programs that request GNU extensions, which Swift's import does not. The type is
    /// that of the declaration in `<spawn.h>`, which the C library cannot change under the same name.
    private static let closeFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map { unsafeBitCast($0, to: CloseFrom.self) }
}
