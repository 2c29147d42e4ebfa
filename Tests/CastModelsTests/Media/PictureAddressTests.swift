import CastModels
import Testing

@Suite("Addresses of pictures")
struct PictureAddressTests {
    @Test(
        "are read as browsers read them",
        arguments: [
            ("http://host/a.png", "http://host/a.png"),
            ("//img.example/pr.png", "https://img.example/pr.png"),
            ("http://img.example/a b.jpg", "http://img.example/a%20b.jpg"),
            ("  https://host/a.png\n", "https://host/a.png"),
            ("https://host/a\n\t.png", "https://host/a.png"),
            ("HTTPS://host/Bild.PNG", "https://host/Bild.PNG"),
            ("https:\\\\host\\a.png", "https://host/a.png"),
            ("http:host/a.png", "http://host/a.png"),
            ("https://host/Grüße.png", "https://host/Gr%C3%BC%C3%9Fe.png"),
            ("https://host/a%20b%2Fc.png", "https://host/a%20b%2Fc.png"),
            ("https://host/{a}\"<b>`.png", "https://host/%7Ba%7D%22%3Cb%3E%60.png"),
            ("https://host/p?q={a b}'#c d", "https://host/p?q={a%20b}%27#c%20d"),
            ("https://host/p?a\\b", "https://host/p?a\\b"),
            ("https://user:pass@host:8443", "https://user:pass@host:8443"),
            ("http://[fe80::1]:80/a b", "http://[fe80::1]:80/a%20b"),
        ])
    func resolved(text: String, address: String) { #expect(PictureAddress.resolved(text) == address) }

    @Test(
        "that senders can't complete stay as they are",
        arguments: [
            "", " ", "/", "//", "p.png", "/p.png", "data:image/png;base64,AA==", "http:", "http://", "https:///", "ftp://h/a b",
            "http://a b/c", "http: ", "https:   ", "// ", "\t//\n",
        ])
    func unchanged(text: String) { #expect(PictureAddress.resolved(text) == text) }
}
