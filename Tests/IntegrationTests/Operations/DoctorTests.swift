import Foundation
import TestSupport
import Testing

/// The doctor beside real faults; see `DoctorFault.all`.
@Suite("The doctor", .serialized, .timeLimit(.minutes(5)))
struct DoctorTests {
    @Test("finds the cause first, with a place in the documents that names it", arguments: DoctorFault.all.keys.sorted())
    func causes(subject: String) async throws {
        let places = try Self.places()
        try await concurrently(DoctorFault.all[subject] ?? []) { fault in
            do {
                let (findings, code, text) = try await Self.findings(of: fault)
                // A machine on which the tests run may be without a time service.
                let codes = findings.compactMap { $0["code"] }.filter { $0 != "clock_not_kept" }
                #expect(codes.first == fault.code, "\(fault.title): \(text)")
                #expect(code == (findings.contains { $0["severity"] == "error" } ? 1 : 0), "\(fault.title): \(text)")
                for finding in findings {
                    let section = try #require(places[finding["place"] ?? ""], "\(finding)")
                    #expect(section.contains("`\(finding["code"] ?? "")`") && finding["remedy"] != "", "\(finding)")
                }
            } catch {
                Issue.record(error, "\(fault.title)")
            }
        }
    }

    /// Stages a fault; returns what the doctor finds, its exit code, and all that it printed.
    private static func findings(of fault: DoctorFault) async throws -> (findings: [[String: String]], code: Int32, text: String) {
        let certificates = try TestCertificates.make().directory
        let broker = MosquittoBroker.Options(
            lines: fault.lines.map { $0.replacing("%CERTIFICATES%", with: certificates) }, files: fault.files,
            allowsAnonymous: !fault.files.keys.contains("passwords"))
        let house =
            if fault.house == .hosts { try await Household.onThreeHosts(devices: 1, broker) } else { try await Household.onOneHost(broker) }
        if fault.house == .bridge {
            _ = try await house.startEverything(devices: 1)
        } else {
            try await house.broker.start()
            if fault.house != .broker { try await house.startDevices(1) }
        }
        try await fault.stage(house)
        let doctor = try await ChildProcess(
            "unshare",
            [
                "-m", "sh", "-ec", fault.script + "\nexec \"$@\"", "sh", Programs.locate("cast2mqtt"), "doctor", "--json", "--seconds",
                "\(fault.seconds)",
            ],
            environment: [
                "CAST2MQTT_STATE_DIRECTORY": house.stateDirectory, "CAST2MQTT_MQTT_HOST": house.hosts.brokerAddress,
                "CAST2MQTT_MQTT_PORT": "\(house.broker.port)", "CAST2MQTT_DISCOVERY_INTERFACES": house.hosts.bridgeInterface,
                "FOLDER": house.folder, "CERTIFICATES": certificates,
            ].merging(fault.environment) { $1 }, namespace: house.hosts.bridge)
        let code = try await doctor.ended(within: .seconds(120))
        // What is no JSON is shown as a whole.
        let findings = (try? JSONSerialization.jsonObject(with: Data(doctor.text.utf8)) as? [[String: String]]) ?? []
        return (findings, code, doctor.text)
    }

    /// The sections of the document that findings name, by the end of the link that leads there.
    private static func places() throws -> [String: String] {
        let name = "docs/TROUBLESHOOTING.md"
        let sections = try String(contentsOf: FlowRun.root.appendingPathComponent(name), encoding: .utf8).components(separatedBy: "\n## ")
        return Dictionary(
            uniqueKeysWithValues: sections.map { section in
                let heading = section.prefix { $0 != "\n" }.lowercased().replacing(" ", with: "-")
                return ("\(name)#\(heading)", section)
            })
    }
}
