import CastTransport

extension CastServerIdentity {
    /// A self-signed certificate made for these tests; its key guards nothing.
    static func test() throws -> Self { try Self(certificatePEM: Self.certificate, privateKeyPEM: Self.privateKey) }

    static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXB2tVdMGG2n4gu5z
        FTbxfKxDKuI5RvPwA2Es34gXxRKhRANCAARp/sVEWtkxBpMLPKkbvo7q9SQd4t6S
        1MAOKy5pEoboY0+PKCgQ0PoHEbat2goA4VdNAhqyHMQLTxqtCbJQNSx+
        -----END PRIVATE KEY-----
        """

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBkDCCATegAwIBAgIUK9NaeZwUlEkuUAZI+C3NMMkhd9YwCgYIKoZIzj0EAwIw
        HTEbMBkGA1UEAwwSU2ltdWxhdGVkIHJlY2VpdmVyMCAXDTI2MTEyMTE3MzcwOVoY
        DzIxMjYxMDI4MTczNzA5WjAdMRswGQYDVQQDDBJTaW11bGF0ZWQgcmVjZWl2ZXIw
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARp/sVEWtkxBpMLPKkbvo7q9SQd4t6S
        1MAOKy5pEoboY0+PKCgQ0PoHEbat2goA4VdNAhqyHMQLTxqtCbJQNSx+o1MwUTAd
        BgNVHQ4EFgQUsQpYig9pLfOqha2uWXgdzfhS104wHwYDVR0jBBgwFoAUsQpYig9p
        LfOqha2uWXgdzfhS104wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBE
        AiALMnUOYK4M2Wopu02mXeDUT9ibvUyuGEOql7DRNf7gLwIgWb0y3yuw+HZ3qqw8
        rUumV8hfOJRzGibaTqmW3y4BmsY=
        -----END CERTIFICATE-----
        """
}
