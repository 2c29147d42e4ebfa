import Synchronization

/// Resolves host names on a few separate threads that no code waits for, because the system's resolver can block for any time and cannot be
/// cancelled.
///
/// There is one lookup of a name at a time: further callers get the same answer. Other names wait for a free thread.
package final class HostResolver: Sendable {
    private struct Name: Hashable {
        let host: String
        let port: UInt16
    }

    private typealias Table = ResolutionTable<Name, @Sendable (NumericAddress.Answer) -> Void>

    private let threadName: String
    private let now: @Sendable () -> Duration
    private let lookUp: @Sendable (_ host: String, _ port: UInt16) -> NumericAddress.Answer
    private let table: Mutex<Table>

    /// - Parameters:
    ///   - threadName: the name of the threads for debuggers, at most 15 bytes.
    ///   - waiterLimit: the largest number of callers that wait for one name.
    ///   - patience: the age at which a lookup counts as lost, so that another one of the same name may start; `nil` for no limit.
    ///   - lookUp: may block.
    package init(
        threadName: String, threadLimit: Int, waiterLimit: Int, patience: Duration? = nil,
        now: @escaping @Sendable () -> Duration = { .zero },
        lookUp: @escaping @Sendable (_ host: String, _ port: UInt16) -> NumericAddress.Answer
    ) {
        self.threadName = threadName
        self.now = now
        self.lookUp = lookUp
        self.table = Mutex(Table(threadLimit: threadLimit, waiterLimit: waiterLimit, patience: patience))
    }

    /// - Parameter completion: called once, on any thread; without it the call only ensures that waiting callers get an answer.
    package func resolve(_ host: String, port: UInt16, _ completion: (@Sendable (NumericAddress.Answer) -> Void)?) {
        let name = Name(host: host, port: port)
        let (isTaken, lookup) = self.table.withLock { table -> (Bool, Table.Lookup?) in
            if let completion, !table.add(completion, for: name) { return (false, nil) }
            return (true, table.request(name, now: self.now()))
        }
        if !isTaken { completion?(.failure(NameNotResolved(detail: "\(host) is not looked up, because too many wait"))) }
        if let lookup { self.run(lookup) }
    }

    private func run(_ lookup: Table.Lookup) {
        let isStarted = DetachedThread.start(self.threadName) { self.ended(lookup, self.lookUp(lookup.name.host, lookup.name.port)) }
        if !isStarted { self.ended(lookup, .failure(NameNotResolved(detail: "\(lookup.name.host): the system has no thread to give"))) }
    }

    private func ended(_ lookup: Table.Lookup, _ answer: NumericAddress.Answer) {
        let (waiters, next) = self.table.withLock { $0.ended(lookup, now: self.now()) }
        for waiter in waiters { waiter(answer) }
        if let next { self.run(next) }
    }
}
