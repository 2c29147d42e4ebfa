import Glibc

extension Spawning {
    /// Runs a program and returns its standard output. Blocks, until `end` at the longest.
    ///
    /// - Parameters:
    ///   - words: the program and its arguments; the program is searched in `PATH`.
    ///   - input: its standard input; at most a pipe's 64 KiB.
    ///   - limit: the largest output, in bytes.
    ///   - isCancelled: asked ten times a second; `true` ends the program.
    /// - Returns: `nil` when it can't be started, fails, writes more, or takes longer; it is then ended.
    package static func output(
        of words: [String], environment: [String]? = nil, input: [UInt8] = [], limit: Int, until end: ContinuousClock.Instant,
        isCancelled: () -> Bool = { false }
    ) -> [UInt8]? {
        guard let program = words.first.flatMap({ self.locate($0) }), input.count <= 65_536 else { return nil }
        var (source, sink): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&source) == 0 else { return nil }
        guard pipe(&sink) == 0 else {
            source.forEach { close($0) }
            return nil
        }
        defer { close(sink[0]) }
        _ = input.withUnsafeBytes { write(source[1], $0.baseAddress, $0.count) }
        close(source[1])
        let pid = try? self.spawn(
            [program] + words.dropFirst(), environment: environment, input: source[0], output: sink[1], dropsErrors: true, ownGroup: true)
        close(source[0])
        close(sink[1])
        guard let pid else { return nil }
        let output = self.read(sink[0], limit: limit, until: end, isCancelled)
        var status: Int32 = 0
        while output != nil, ContinuousClock.now < end, !isCancelled() {
            if waitpid(pid, &status, WNOHANG) == pid { return status == 0 ? output : nil }
            usleep(2_000)
        }
        // With all that it has started.
        kill(-pid, SIGKILL)
        _ = self.wait(for: pid)
        return nil
    }

    private static func read(
        _ descriptor: Int32, limit: Int, until end: ContinuousClock.Instant, _ isCancelled: () -> Bool
    ) -> [UInt8]? {
        var output: [UInt8] = []
        while output.count <= limit {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > 0, !isCancelled() else { return nil }
            guard poll(&wanted, 1, Int32(min(left, 100)) + 1) > 0 else { continue }
            // read(2) writes at most the capacity and returns the number of bytes, or -1.
            let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { $1 = max(0, Glibc.read(descriptor, $0.baseAddress, $0.count)) }
            if bytes.isEmpty { return output }
            output += bytes
        }
        return nil
    }

    /// Returns the path of a program, searched in the absolute folders of `PATH` and then in `others`; a path is returned as it is.
    /// - Returns: `nil` when it is not installed.
    package static func locate(_ program: String, others: [String] = []) -> String? {
        guard !program.contains("/") else { return program }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        let folders = path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") } + others
        return folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}
