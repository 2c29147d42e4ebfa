/// The keys of the metadata of all log messages. The raw value is the key's name in a line of the log.
package enum LogKey: String, CaseIterable, Sendable {
    /// The address of a device, a host or a listener, with its port.
    case address
    /// The seconds since the device was last online.
    case after
    /// Another name by which commands address a device.
    case alias
    /// The id of a receiver application.
    case app
    /// The time of a step in a scenario of the simulator.
    case at
    /// The number of the connection attempt.
    case attempt
    /// The number of failed connection attempts.
    case attempts
    /// The outcome of device authentication.
    case authentication
    /// The first levels of all topics of the bridge.
    case base
    /// The host and port of the MQTT broker.
    case broker
    /// A size in bytes.
    case bytes
    /// The id of a device, in messages of the library.
    case castDevice = "cast.device"
    /// A configured host, in messages of the library.
    case castHost = "cast.host"
    /// The namespace of a channel or a message.
    case castNamespace = "cast.namespace"
    /// The address of a web client.
    case client
    /// The MQTT client id.
    case clientID = "client_id"
    /// The name of a command: the tail of its topic, or `cmd` of its JSON form.
    case command
    /// The path of the configuration file.
    case configuration
    /// A number of things that the message names.
    case count
    /// A number of days.
    case days
    /// More about the event, for people.
    case detail
    /// The slug of a device, or its id while it has no slug.
    case device
    /// A number of devices.
    case devices
    /// The error: its code, or its description where it has none.
    case error
    /// The exit code of a process.
    case exitCode = "exit_code"
    /// The path of a file that was written.
    case file
    /// The first of several problems.
    case first
    /// The number of device keys that were forgotten.
    case forgotten
    /// The id of the device that answered instead of the expected one.
    case found
    /// The host name of the MQTT broker.
    case host
    /// Why media ended.
    case idleReason = "idle_reason"
    /// The `instance` of a bridge.
    case instance
    /// The name of a network interface.
    case interface
    /// The id of a queue item.
    case item
    /// The limit that was reached.
    case limit
    /// The path of a log file.
    case log
    /// The id of a media session.
    case mediaSession = "media_session"
    /// A duration in milliseconds.
    case milliseconds
    /// The model of a device.
    case model
    /// The name of a device or a service.
    case name
    /// The duration of an outage.
    case outage
    /// The outcome of a request: `ok` or the code of its error.
    case outcome
    /// The path of a file or directory.
    case path
    /// The address of the other end of a connection.
    case peer
    /// A process id.
    case pid
    /// The state of the player.
    case player
    /// A port number.
    case port
    /// The previous name, slug or device.
    case previous
    /// A number of problems.
    case problems
    /// The version of the MQTT protocol.
    case `protocol`
    /// Why the event happened.
    case reason
    /// The reason code of an MQTT packet.
    case reasonCode = "reason_code"
    /// What the user can do.
    case remedy
    /// The type of a request.
    case request
    /// The delay until the next attempt.
    case retryIn = "retry_in"
    /// The role of a user of the web page.
    case role
    /// The DNS-SD instance name of a service.
    case service
    /// When a program started.
    case startedAt = "started_at"
    /// An MQTT topic.
    case topic
    /// A number of MQTT topics.
    case topics
    /// A transition of a session.
    case transition
    /// The version of a program.
    case version
}
