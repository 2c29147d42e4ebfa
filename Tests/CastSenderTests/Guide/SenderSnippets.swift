import CastSender
import Foundation
import Logging

// The Swift of docs/LIBRARY.md, compiled: GuideTests finds each block of the guide in these functions, line by line. Nothing calls them.

private func show(_ values: Any...) {}
private func store(_ data: Data) throws {}
private func load() throws -> Data { Data() }

private func makeContext() throws -> CastContext {
    var options = CastOptions(receiverApplicationID: ReceiverApplication.defaultMediaReceiver)
    options.launchOptions.languageCode = "de-DE"
    options.stopsApplicationWhenEnding = true
    options.resumePolicy = .within(.seconds(300))
    options.filtersDiscovery = true
    let context = try CastContext(options: options)
    return context
}

private func road(_ context: CastContext) async throws {
    try await withThrowingTaskGroup { group in
        group.addTask { await context.run() }
        for await devices in await context.discoveryManager.deviceLists {
            guard let device = devices.first(where: { $0.friendlyName == "Living room" }) else { continue }
            let session = try await context.sessionManager.start(on: device)
            let film = MediaInformation(contentID: "https://example.com/film.mp4", contentType: "video/mp4")
            try await session.remoteMediaClient.load(MediaLoadRequest(media: film))
            break
        }
        group.cancelAll()
    }
}

private func castState(_ context: CastContext) async {
    for await state in context.castStates {
        switch state {
        case .noDevicesAvailable, .notConnected: show("a button to connect")
        case .connecting: show("a button that blinks")
        case .connected: show("a button to disconnect")
        }
    }
}

private func discovery() -> DiscoveryManager.Configuration {
    var discovery = DiscoveryManager.Configuration()
    discovery.criteria.applicationIDs = ["CC1AD845"]
    discovery.criteria.capabilities = [.videoOut]
    discovery.knownHosts = ["192.168.1.31", "tv.lan:8009"].compactMap { KnownHost($0) }
    return discovery
}

private func deviceList(_ context: CastContext) async {
    let manager = context.discoveryManager
    for await change in await manager.deviceChanges {
        switch change {
        case .event(.inserted(let device, let index)): show("row \(index) is new:", device.friendlyName)
        case .event(.updated(let device, let index, let target)): show("row \(index) goes to \(target):", device.friendlyName)
        case .event(.removed(_, let index)): show("row \(index) goes")
        case .missed: show(await manager.devices)
        }
    }
}

private func nothingFound(_ context: CastContext) async {
    if let hint = await context.discoveryManager.hint() { show(hint.reason, hint.remedy) }
}

private func transitions(_ context: CastContext) async {
    for await element in context.sessionManager.events {
        guard case .event(let event) = element else { continue }
        switch event.transition {
        case .willStart, .willResume, .willEnd: show("please wait")
        case .waitsForPermission: show("a person at the screen is asked")
        case .didStart, .didResume: show("connected to", event.device)
        case .didFailToStart(let error), .didFailToResume(let error): show(error)
        case .didSuspend(let reason): show("suspended:", reason)
        case .didEnd(let error): show(error.map { "ended: \($0)" } ?? "ended")
        case .authenticated(let result): show(result.verdict)
        case .leaderMoved, .playbackMoved, .streamMoved, .willTransfer, .didTransfer, .didFailToTransfer: break
        }
    }
}

private func sessions(_ context: CastContext, _ device: Device) async throws {
    let manager = context.sessionManager
    try await manager.start(on: device, launching: "CC1AD845")
    try await manager.suspend(device.id)
    try await manager.resume(device.id)
    try await manager.end(device.id, stopsApplication: true)
    try await manager.join(device)
}

private func keep() throws -> CastContext {
    var options = CastOptions()
    options.sessionStore = SessionFile(path: "/var/lib/my-app/sessions.json")
    options.resumePolicy = .within(.seconds(60))
    let context = try CastContext(options: options)
    return context
}

private func restart(_ context: CastContext, _ device: Device) async throws {
    let manager = context.sessionManager
    if let record = await manager.record(of: device.id) { try store(JSONEncoder().encode(record)) }
    // In the next run of the program:
    let stored = try JSONDecoder().decode(SessionRecord.self, from: load())
    let session = try await manager.resume(from: stored)
    show(session)
}

private func sessionStates(_ session: CastSession) async {
    for await status in await session.receiverStatuses {
        show(status?.application?.name ?? "nothing runs", status?.volume?.level ?? 0)
    }
}

private func channel(_ session: CastSession) async throws {
    let channel = try await session.openChannel("urn:x-cast:com.example.game")
    try await channel.send(#"{"move":"e4"}"#)
    for await element in channel.events {
        switch element {
        case .event(.text(let text)): show(text)
        case .event(.binary(let bytes)): show(bytes.count)
        case .event(.connected), .event(.disconnected): show("the connection to the application changed")
        case .missed(let count): show("\(count) messages came too fast")
        }
    }
}

private func rawMessages(_ session: CastSession) async throws {
    let answer = try await session.sendMediaMessage(["type": "USER_ACTION", "userAction": "LIKE"])
    let status = try await session.sendReceiverMessage(["type": "GET_STATUS"])
    show(answer, status["status"] ?? .null)
}

private func device(_ session: CastSession) async throws {
    try await session.setDeviceVolume(level: 0.3)
    try await session.changeDeviceVolume(bySteps: 1)
    try await session.setDeviceMuted(true)
    let availability = try await session.applicationAvailability(["CC1AD845"])
    show(availability["CC1AD845"] == .available)
}

private func group(_ session: CastSession, _ context: CastContext) async throws {
    for member in try await session.requestMultizoneStatus().devices {
        show(member.friendlyName ?? member.id, member.volume?.level ?? 0)
        if let device = await context.discoveryManager.devices.first(where: { $0.id == member.id }) {
            try await context.sessionManager.setDeviceVolume(level: 0.2, of: device)
        }
    }
}

private func errors(_ session: CastSession) async {
    do throws(CastError) {
        try await session.launch("CC1AD845")
    } catch {
        switch error.code {
        case .applicationNotFound: show("no such application for this device")
        case .launchRequestCancelled, .notAllowed: show("the launch was refused")
        case .timeout, .networkError, .deviceNotConnected: show("the device can't be reached")
        default: show(error.description, error.detailedError?.words ?? "")
        }
    }
}

private func logging() throws -> CastContext {
    let log = CastLog(LogFilters(level: .info, filters: ["CastSender.Session*=debug"].compactMap { LogFilter($0) }))
    let context = try CastContext { label in
        log.logger(label) { StreamLogHandler.standardError(label: $0) }
    }
    log.filters.level = .error
    return context
}

private func authentication() throws -> CastOptions {
    let anchors = try TrustAnchors(contentsOfFile: "/etc/cast/anchors.pem", revocationFile: "/etc/cast/crl-anchors.pem")
    var options = CastOptions()
    options.authentication = DeviceAuthentication(mode: .report, anchors: anchors)
    return options
}

private func authenticity(_ session: CastSession) async {
    switch await session.authentication?.verdict {
    case .authentic: show("genuine")
    case .expiredChain: show("genuine, with a certificate out of date")
    case .unverified: show("no trust anchors: compare the key")
    case .failed(let error): show("not proven:", error)
    case nil: show("not asked, or no answer yet")
    }
}

private func keys(_ remembered: [Device.ID: String]) -> DeviceAuthentication {
    let keys = DeviceKeys(remembered)
    let authentication = DeviceAuthentication(mode: .require, keys: keys)
    show("to be stored:", keys.fingerprints)
    return authentication
}

private func transfer(_ context: CastContext, _ kitchen: Device, _ livingRoom: Device) async throws {
    let transfer = try await context.sessionManager.transfer(from: kitchen.id, to: livingRoom)
    show(transfer.method, transfer.session)
    if let error = transfer.sourceError { show("the kitchen plays on:", error) }
}

private func transfer(_ kitchen: CastSession, _ livingRoom: CastSession) async throws {
    let transfer = try await kitchen.transfer(to: livingRoom)
    show(transfer.queue?.takenItemCount ?? 0, "items were taken along")
}

private func registeredChannel(_ context: CastContext) async throws {
    let game = try await context.sessionManager.registerChannel("urn:x-cast:com.example.game")
    for await case .event(let news) in game.events {
        switch news.event {
        case .connected: try await game.send(#"{"type":"JOIN"}"#, to: news.device)
        case .disconnected: show("no game on", news.device)
        case .text(let text): show(news.device, text)
        case .binary: break
        }
    }
    await game.unregister()
}

private func volumeSlider(_ session: CastSession) async {
    for await state in await session.deviceVolumeController.states {
        show(state.isEnabled ? "volume \(state.level)" : "no volume", state.isMuted)
    }
}

private func connection(_ session: CastSession) async {
    for await state in await session.connectionStates {
        switch state {
        case .connected: show("ready:", await session.device?.friendlyName ?? "")
        case .suspended: show("one moment")
        case .ended: show("over")
        }
    }
}

private func times(_ session: CastSession) async {
    let (state, now) = (await session.mediaController.state, session.remoteMediaClient.now)
    show(state.title ?? "", state.position(at: now).map { PlaybackTime.text($0) } ?? "")
    show(state.remaining(at: now).map { PlaybackTime.text($0, isRemaining: true) } ?? (state.isLive ? "live" : ""))
}

private func buttons(_ session: CastSession) async throws {
    try await session.deviceVolumeController.changeLevel(bySteps: 1)
    try await session.playbackRateController.setRate(1.5)
    try await session.mediaController.pressMainButton()
    try await session.mediaController.seek(by: -MediaController.seekInterval)
}
