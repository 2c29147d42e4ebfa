import NIOCore

/// The listeners of a device: its Cast server and, except for groups, the web servers of `eureka_info`.
final class DeviceListeners {
    private var cast: (any Channel)?
    private var web: [any Channel] = []

    var isOpen: Bool { self.cast != nil }

    private var all: [any Channel] { [self.cast].compactMap { $0 } + self.web }

    func add(cast listener: any Channel) { self.cast = listener }

    func add(web listener: any Channel) { self.web.append(listener) }

    nonisolated(nonsending) func close() async {
        let listeners = self.all
        (self.cast, self.web) = (nil, [])
        for listener in listeners { try? await listener.close().get() }
    }

    /// Stops or resumes accepting connections; the kernel accepts them in any case.
    nonisolated(nonsending) func setAccepting(_ accepts: Bool) async {
        for listener in self.all {
            try? await listener.setOption(.autoRead, value: accepts).get()
            if accepts { listener.read() }
        }
    }
}
