import BridgeCore
import Testing

@Suite("The address of the web page")
struct PageAddressTests {
    @Test(
        "it is a name, a listener's address or one of the machine, and none for this machine alone or behind a proxy",
        arguments: [
            (["0.0.0.0:8099"], [], [], "http://192.168.1.4:8099/"), (["[::]:8099"], [], [], "http://192.168.1.4:8099/"),
            (["127.0.0.1:8099", "10.0.0.5:80"], [], [], "http://10.0.0.5:80/"),
            (["[2001:db8::1]:8099"], [], [], "http://[2001:db8::1]:8099/"),
            (["0.0.0.0:8099"], ["cast.lan"], [], "http://cast.lan:8099/"), (["0.0.0.0:8099"], ["cast.lan:80"], [], "http://cast.lan:80/"),
            (["127.0.0.1:8099"], ["cast.lan"], [], nil), ([], ["cast.lan"], [], nil), (["0.0.0.0:0"], [], [], nil),
            (["172.30.32.1:8099"], [], ["172.30.32.2"], nil),
        ] as [([String], [String], [String], String?)])
    func page(listen: [String], names: [String], proxies: [String], page: String?) {
        var web = WebOptions()
        web.listen = listen.compactMap { ListenAddress($0) }
        web.names = names.compactMap { HostName($0) }
        web.trustedProxies = proxies.compactMap { AddressRange($0) }
        let own = ["127.0.0.1", "fe80::1", "169.254.1.1", "192.168.1.4", "172.17.0.1"].compactMap { NetworkAddress($0) }
        #expect(web.page(ofMachineAt: own) == page)
        web.certificateFile = "/c.pem"
        #expect(web.page(ofMachineAt: own) == page.map { "https" + $0.dropFirst(4) })
    }
}
