import CastModels
import Testing

@Suite("A filter of logs")
struct LogFilterTests {
    @Test("gives a component the level of the last match, else the general one")
    func levels() {
        let filters = LogFilters(level: .info, filters: ["CastSender.*=debug", "*Session=error"].compactMap { LogFilter($0) })
        #expect(filters.level(for: "MQTTClient") == .info)
        #expect(filters.level(for: "CastSender.Connection") == .debug)
        #expect(filters.level(for: "CastSender.CastSession") == .error)
    }

    @Test("fits a whole label, or the type's name behind the last dot")
    func types() {
        for pattern in ["CastSender.CastSession", "CastSession", "Cast*Session", "castsession"] {
            let filters = LogFilters(level: .info, filters: ["\(pattern)=debug"].compactMap { LogFilter($0) })
            #expect(filters.level(for: "CastSender.CastSession") == .debug, "\(pattern)")
            #expect(filters.level(for: "CastSender.SessionManager") == .info, "\(pattern)")
            #expect(filters.level(for: "CastSender") == .info, "\(pattern)")
        }
    }

    @Test("is refused when it is not glob=level", arguments: ["", "=debug", "a=", "a", "a=loud", "a=b=debug"])
    func refused(text: String) { #expect(LogFilter(text) == nil) }
}
