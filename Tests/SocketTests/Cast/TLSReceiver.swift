import CastModels
import CastProtocol
import CastTestSupport
import CastTransport
import NIOCore
import NIOPosix

/// A fake receiver behind real TLS on loopback.
enum TLSReceiver {
    /// Listens on a free port.
    static func listen(_ receiver: FakeReceiver, on eventLoop: any EventLoop) async throws -> any Channel {
        let identity = try CastServerIdentity(certificatePEM: Self.certificate, privateKeyPEM: Self.privateKey)
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: 0)
        return try await CastServerBootstrap(group: eventLoop, identity: identity).bind(to: address) { channel in
            try channel.pipeline.syncOperations.addHandler(Handler(receiver: receiver))
        }.get()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = CastMessage

        private let receiver: FakeReceiver

        init(receiver: FakeReceiver) { self.receiver = receiver }

        func channelActive(context: ChannelHandlerContext) {
            self.receiver.opened(context.channel)
            context.fireChannelActive()
        }

        func channelInactive(context: ChannelHandlerContext) {
            self.receiver.closed(context.channel)
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            self.receiver.received(self.unwrapInboundIn(data), on: context.channel)
        }
    }

    /// Made for these tests; it guards nothing.
    private static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgJvPZqJ6g3Rg2Ri3N
        ual6/5smJtvObBGssFtgxxcP02GhRANCAASC5R4gCpHU3Jcoi4Z8SNE+pqpjFt70
        w0YucXobGunRLaa35lfK560S7xMoWWxxumYJsfcwv27tdLFAxWuRMo4/
        -----END PRIVATE KEY-----
        """

    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBiDCCAS2gAwIBAgIUDsgZKhBp17W1hw57tSwOrlw9pGswCgYIKoZIzj0EAwIw
        GDEWMBQGA1UEAwwNZmFrZSByZWNlaXZlcjAgFw0yNjExMjExODU0MjlaGA8yMTI2
        MTAyODE4NTQyOVowGDEWMBQGA1UEAwwNZmFrZSByZWNlaXZlcjBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABILlHiAKkdTclyiLhnxI0T6mqmMW3vTDRi5xehsa6dEt
        prfmV8rnrRLvEyhZbHG6Zgmx9zC/bu10sUDFa5Eyjj+jUzBRMB0GA1UdDgQWBBSW
        9ElJ+H9X2EZyeby3cPVjWKjsgDAfBgNVHSMEGDAWgBSW9ElJ+H9X2EZyeby3cPVj
        WKjsgDAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDsWUC1cnwC
        ydTesIGSGfQy0s5VukWuyvOnv9ajBkYZBQIhALGqjGHk6OafgWFpkGuDmuajFsnA
        ReSEKde/cFZluVR/
        -----END CERTIFICATE-----
        """
}
