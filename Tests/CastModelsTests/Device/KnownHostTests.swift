import CastModels
import Testing

@Suite struct KnownHostTests {
    @Test(
        "hosts are read in every usual form",
        arguments: [
            ("192.168.1.31", "192.168.1.31", 8009), ("192.168.1.31:32001", "192.168.1.31", 32001), ("tv.lan", "tv.lan", 8009),
            ("tv.lan:8009", "tv.lan", 8009), ("fe80::1%eth0", "fe80::1%eth0", 8009), ("[fe80::1%eth0]:8009", "fe80::1%eth0", 8009),
            ("[fd00::5]", "fd00::5", 8009), ("[fd00::5]:1", "fd00::5", 1), ("living-room_tv", "living-room_tv", 8009),
            ("küche.lan", "küche.lan", 8009),
        ])
    func read(text: String, host: String, port: Int) {
        #expect(KnownHost(text)?.endpoint == DeviceEndpoint(host: host, port: port))
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", ":8009", "tv.lan:", "tv.lan:0", "tv.lan:65536", "tv.lan:x", "tv.lan:-1", "tv.lan:+1", "[fe80::1", "[fe80::1]8009",
            "[tv.lan]:8009",
            "[]:1", "http://tv.lan", "tv lan", "tv.lan/x", "a@b", "tv.lan:80:90x y", String(repeating: "a", count: 256), "tv%eth0", "\u{0}",
        ])
    func refused(text: String) {
        #expect(KnownHost(text) == nil)
    }
}
