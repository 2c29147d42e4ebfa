import BridgeConfiguration
import Testing

/// The files for containers, as far as they can be judged without one; `make test-container` does the rest.
@Suite("The files for containers")
struct ContainerTests {
    @Test(
        "name variables that exist, and values that are accepted",
        arguments: ["docker/Dockerfile", "docker/compose.yaml", "docker/compose.macvlan.yaml", "docs/DOCKER.md"])
    func variables(file: String) throws {
        let text = try repositoryFile(file)
        let known = Set(ConfigurationKey.all.map(\.environmentName))
        for match in text.matches(of: /CAST2MQTT_([A-Z0-9_]+)(: *"?([^"`\n]*))?/) where match.0.prefix(16) != "CAST2MQTT_COMMIT" {
            let name = "CAST2MQTT_\(match.1)"
            #expect(known.contains(name.hasSuffix("_FILE") && !known.contains(name) ? String(name.dropLast(5)) : name), "\(name)")
            // Without a value Compose takes it from docker/.env.
            guard let value = match.3, !value.isEmpty, !value.contains("$"), !name.hasSuffix("_FILE") else { continue }
            // Only a broker has the keys beside its host, and only a page those beside where it listens.
            let environment = [
                "CAST2MQTT_MQTT_HOST": "broker", "CAST2MQTT_MQTT_TLS_ENABLED": "true", "CAST2MQTT_WEB_LISTEN": "127.0.0.1:8099",
                "CAST2MQTT_WEB_PASSWORDS_ADMIN": WebConfigurationTests.hash,
            ].merging([name: String(value)]) { $1 }
            #expect(throws: Never.self) { try load(environment: environment) }
        }
    }

    @Test("have the program's version in the image's label, and its packages in the image")
    func label() throws {
        let dockerfile = try repositoryFile("docker/Dockerfile")
        let program = try repositoryFile("Sources/cast2mqtt/Program.swift")
        let version = try #require(program.firstMatch(of: /static let version = "([^"]+)"/)).1
        #expect(dockerfile.contains("org.opencontainers.image.version=\"\(version)\""))
        let page = try repositoryFile("docs/SOURCE.md")
        let packages = try #require(page.firstMatch(of: /apt-get install ((?:[a-z0-9+-]+ )+) *# and mosquitto/)).1.split(separator: " ")
        #expect(packages.count > 3)
        // The certificate authorities come without their package.
        for package in packages where package != "ca-certificates" { #expect(dockerfile.contains(" \(package) "), "\(package)") }
        #expect(dockerfile.contains("COPY --from=build /etc/ssl/certs /etc/ssl/certs\n"))
    }
}
