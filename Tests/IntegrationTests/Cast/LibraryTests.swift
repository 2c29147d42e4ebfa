import CastReceiverSimulator
import CastSender
import Foundation
import NIOPosix
import TestSupport
import Testing

/// The sender library as a program uses it, with simulated devices behind real TLS on addresses of their own.
@Suite("The library")
struct LibraryTests {
    private struct House: Sendable {
        let devices: [DeviceDescription]
        /// The roots of the devices' chains and of those of revocation lists' signers.
        let anchors: TrustAnchors
        let control: @Sendable (_ device: String, ControlVerb) async throws -> Void
        /// The device's own truth.
        let state: @Sendable (_ device: String) async throws -> JSON
        /// The messages that the devices received so far.
        let journalPath: String
    }

    /// Runs devices that nothing announces for as long as `body` takes.
    private static func withHouse(devices: Int, _ body: @Sendable (House) async throws -> Void) async throws {
        let rootPath = NSTemporaryDirectory() + "root-\(UUID().uuidString).pem"
        defer { try? FileManager.default.removeItem(atPath: rootPath) }
        var configuration = SimulatorConfiguration()
        configuration.devices = devices
        configuration.interfaces = nil
        configuration.addressBase = "127.\(Int.random(in: 20...250)).\(Int.random(in: 1...250)).1"
        configuration.authenticationRootPath = rootPath
        let journalPath = NSTemporaryDirectory() + "journal-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: journalPath) }
        configuration.journalPath = journalPath
        let fleet = try SimulatedFleet(configuration: configuration, group: MultiThreadedEventLoopGroup.singleton)
        try await fleet.start()
        let house = House(
            devices: fleet.plan.devices, anchors: try TrustAnchors(contentsOfFile: rootPath, revocationFile: rootPath),
            control: { device, verb in _ = try await fleet.control(device, verb) },
            state: { try await fleet.control($0, .state) }, journalPath: journalPath)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await fleet.run() }
            defer { group.cancelAll() }
            try await body(house)
        }
    }

    private static func running(_ options: CastOptions, _ body: @Sendable (CastContext) async throws -> Void) async throws {
        let context = try CastContext(options: options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await context.run() }
            defer { group.cancelAll() }
            try await body(context)
        }
    }

    @Test("finds devices at known hosts, has them prove themselves, loads on one and transfers to the other")
    func road() async throws {
        try await Self.withHouse(devices: 2) { house in
            var options = CastOptions()
            options.discovery.isMulticastEnabled = false
            options.discovery.knownHosts = house.devices.compactMap { KnownHost($0.address) }
            options.authentication = DeviceAuthentication(mode: .require, anchors: house.anchors)
            try await Self.running(options) { context in
                let found = try await eventually("both devices") {
                    let devices = await context.discoveryManager.devices
                    return devices.count == 2 ? devices : nil
                }
                #expect(Set(found.map(\.id)) == Set(house.devices.map(\.id)))
                let manager = context.sessionManager
                let session = try await manager.start(on: found[0])
                #expect(await session.authentication?.verdict == .authentic)
                let url = "http://127.0.0.1/film.mp4?duration=1800"
                try await session.remoteMediaClient.load(
                    MediaLoadRequest(media: MediaInformation(contentID: url, contentType: "video/mp4")))
                try await eventually("the film plays") { await session.mediaStatus?.playerState == .playing }

                let transfer = try await manager.transfer(from: found[0].id, to: found[1])
                #expect(transfer.sourceError == nil)
                #expect(await transfer.session.authentication?.verdict == .authentic)
                try await eventually("the other device plays it") {
                    let status = await transfer.session.mediaStatus
                    return status?.playerState == .playing && status?.media?.contentID == url
                }
                #expect(await manager.state(of: found[0].id) == nil)
                #expect(await manager.state(of: found[1].id) == .started)
                try await manager.end(found[1].id, stopsApplication: true)
            }
        }
    }

    @Test("launches, selects pictures and loads ads by the options of the context and the request")
    func options() async throws {
        struct LastPicker: ImagePicker {
            func image(for hints: ImageHints, of metadata: MediaMetadata) -> MediaImage? { metadata.images.last }
        }
        try await Self.withHouse(devices: 1) { house in
            let device = house.devices[0]
            var options = CastOptions(
                launchOptions: LaunchOptions(languageCode: "de-AT", credentials: "token", credentialsType: "web", appParams: ["seat": 7]))
            options.mediaDefaults.imagePicker = LastPicker()
            options.discovery.isMulticastEnabled = false
            options.discovery.knownHosts = house.devices.compactMap { KnownHost($0.address) }
            try await Self.running(options) { context in
                let found = try await eventually("the device") { await context.discoveryManager.device(device.id) }
                let session = try await context.sessionManager.start(on: found)
                let launch = try #require(
                    try String(contentsOfFile: house.journalPath, encoding: .utf8).split(separator: "\n").last { $0.contains("\"LAUNCH\"") }
                )
                let entry = try JSONSerialization.jsonObject(with: Data(launch.utf8)) as? [String: Any]
                let payload = try #require(entry?["payload"] as? [String: Any])
                #expect(payload["language"] as? String == "de-AT")
                let parameters = payload["appParams"] as? [String: Any]
                #expect(parameters?["seat"] as? Int == 7)
                let credentials = (parameters?["launchCheckerParams"] as? [String: Any])?["credentialsData"] as? [String: Any]
                #expect(credentials?["credentials"] as? String == "token")

                var clip = AdBreakClip(id: "c")
                (clip.contentID, clip.duration, clip.whenSkippable) = ("http://127.0.0.1/ad.mp4", 300, 0)
                let metadata = MediaMetadata(type: .movie, images: [MediaImage(url: "http://h/first"), MediaImage(url: "http://h/last")])
                let media = MediaInformation(
                    contentID: "http://127.0.0.1/film.mp4?duration=1800&load_time=0", contentType: "video/mp4", metadata: metadata,
                    adBreaks: [AdBreak(id: "b", clipIDs: ["c"], position: 0), AdBreak(id: "e", clipIDs: ["c"], position: -1)],
                    adBreakClips: [clip])
                let client = session.remoteMediaClient
                try await client.load(MediaLoadRequest(media: media))
                #expect(await client.image(ImageHints(.background))?.url == "http://h/last")
                try await eventually("the ad plays") { try await house.state(device.controlName)["ad_clip"]?.text == "c" }
                let loaded = try #require(try await house.state(device.controlName)["media"])
                #expect(loaded["breaks"]?.elements?.compactMap { $0["position"]?.double } == [0, -1])
                #expect(loaded["breakClips"]?.elements?.compactMap { $0["contentId"]?.text } == ["http://127.0.0.1/ad.mp4"])
                try await client.skipAd()
                try await eventually("the film plays") {
                    let state = try await house.state(device.controlName)
                    return state["ad_clip"] == nil && state["player"] == "PLAYING"
                }
                try await context.sessionManager.end(found.id, stopsApplication: true)
            }
        }
    }

    @Test("is notified when another sender moves the media, and that the application ended", .timeLimit(.minutes(5)))
    func movedByOthers() async throws {
        try await Self.withHouse(devices: 2) { house in
            var options = CastOptions()
            let (source, target) = (house.devices[0], house.devices[1])
            options.discovery = DiscoveryManager.Configuration(
                isMulticastEnabled: false,
                knownHosts: [source, target].map { KnownHost(endpoint: DeviceEndpoint(host: $0.address, port: $0.port)) })
            try await Self.running(options) { context in
                let manager = context.sessionManager
                try await eventually("both are found") { await context.discoveryManager.devices.count == 2 }
                let session = try await manager.start(on: try #require(await context.discoveryManager.device(source.id)))
                let url = "http://127.0.0.1/film.mp4?duration=1800"
                try await session.remoteMediaClient.load(
                    MediaLoadRequest(media: MediaInformation(contentID: url, contentType: "video/mp4")))
                let events = manager.events
                try await house.control(source.controlName, .transfer(to: target.controlName))
                var reported: [String] = []
                for await case .event(let event) in events {
                    let name = event.device == source.id ? "source" : "target"
                    switch event.transition {
                    case .playbackMoved: reported.append("\(name): playback moved")
                    case .didSuspend(.streamLost): reported.append("\(name): stream lost")
                    case .streamMoved(target.id): reported.append("\(name): stream moved")
                    case .didResume: reported.append("\(name): resumed")
                    case .didEnd: reported.append("\(name): ended")
                    default: continue
                    }
                    if ["resumed", "ended"].contains(where: { reported.last?.hasSuffix($0) == true }) { break }
                }
                #expect(reported == ["source: playback moved", "source: stream lost", "source: stream moved", "target: resumed"])
                let resumed = try #require(await manager.session(with: target.id))
                let device = await resumed.device?.id
                #expect(device == target.id)
                try await eventually("the film is there") { await resumed.mediaStatus?.media?.contentID == url }
                try await resumed.remoteMediaClient.pause()
            }
        }
    }

    /// The expected results for one manner of answering.
    private struct Proof: Sendable {
        var manner: AuthenticationManner
        var capabilities: DeviceCapabilities = [.audioOut]
        var result: String
        /// The result of a start where proof is required.
        var failure: CastError.Code?
    }

    private static let proofs = [
        Proof(manner: .genuine, result: "authentic"), Proof(manner: .audioOnly, result: "authentic for audio"),
        Proof(
            manner: .audioOnly, capabilities: [.videoOut, .audioOut], result: "capability not certified",
            failure: .deviceCapabilityNotSupported),
        Proof(manner: .noNonce, result: "authentic without nonce"), Proof(manner: .expired, result: "expired chain"),
        Proof(manner: .wrongRoot, result: "device certificate not trusted", failure: .deviceCertificateNotTrusted),
        Proof(manner: .wrongNonce, result: "device authentication failed: nonce_mismatch", failure: .deviceAuthenticationFailure),
        Proof(
            manner: .otherCertificate, result: "device authentication failed: signature_mismatch", failure: .deviceAuthenticationFailure),
        Proof(manner: .revocationList, result: "authentic"),
        Proof(manner: .revokedKey, result: "certificate revoked", failure: .crlCheckFailed),
        Proof(manner: .revokedSerialNumber, result: "certificate revoked", failure: .crlCheckFailed),
        Proof(manner: .staleRevocationList, result: "revocation list invalid", failure: .crlInvalid),
        Proof(manner: .forgedRevocationList, result: "revocation list invalid", failure: .crlInvalid),
        Proof(manner: .error, result: "authentication error received", failure: .authenticationErrorReceived),
        Proof(manner: .silent, result: "authentication timeout", failure: .authenticationTimeout),
    ]

    private static func describe(_ result: DeviceAuthenticationResult) -> String {
        switch result.verdict {
        case .authentic:
            "authentic" + (result.nonce == .missing ? " without nonce" : "") + (result.policy == .audioOnly ? " for audio" : "")
        case .expiredChain: "expired chain"
        case .unverified: "unverified"
        case .failed(let error): "\(error.code)" + (error.reason.map { ": \($0)" } ?? "")
        }
    }

    @Test("reports the result of each manner of proof, and starts no session on a failure where proof is required")
    func proofs() async throws {
        try await Self.withHouse(devices: Self.proofs.count) { house in
            let devices = zip(house.devices, Self.proofs).map { description, proof in
                Device(
                    id: description.id, friendlyName: description.friendlyName, capabilities: proof.capabilities,
                    endpoints: [DeviceEndpoint(host: description.address, port: description.port)])
            }
            for (device, proof) in zip(house.devices, Self.proofs) {
                try await house.control(device.controlName, .authentication(proof.manner))
            }
            let pairs = Array(zip(devices, Self.proofs))
            let (silent, telling) = (pairs.filter { $0.1.manner == .silent }, pairs.filter { $0.1.manner != .silent })
            // Devices make their keys when they are asked for the first time, which takes a while for so many.
            try await Self.judge(telling, .report, house.anchors, timeout: .seconds(50))
            try await Self.judge(silent, .report, house.anchors, timeout: .seconds(5))
            try await Self.judge(telling, .require, house.anchors, timeout: .seconds(10))
            try await Self.judge(silent, .require, house.anchors, timeout: .seconds(5))
        }
    }

    private static func judge(
        _ pairs: [(Device, Proof)], _ mode: DeviceAuthentication.Mode, _ anchors: TrustAnchors, timeout: Duration
    ) async throws {
        var options = CastOptions()
        options.startsDiscovery = false
        options.connectTimeout = timeout + .seconds(10)
        options.authentication = DeviceAuthentication(mode: mode, anchors: anchors, timeout: timeout)
        try await Self.running(options) { context in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (device, proof) in pairs {
                    group.addTask { try await Self.judge(device, proof, mode == .require ? proof.failure : nil, context.sessionManager) }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func judge(_ device: Device, _ proof: Proof, _ failure: CastError.Code?, _ manager: SessionManager) async throws {
        do throws(CastError) {
            let session = try await manager.start(on: device)
            #expect(failure == nil, "\(proof.manner) should not do")
            let result = try? await eventually("the proof of \(proof.manner)") { await session.authentication }
            #expect(result.map(Self.describe) == proof.result, "\(proof.manner)")
            try await manager.end(device.id, stopsApplication: true)
        } catch {
            #expect(error.code == failure, "\(proof.manner): \(error)")
        }
    }
}
