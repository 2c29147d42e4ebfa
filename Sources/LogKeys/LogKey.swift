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
    /// The keys of the configuration that were applied.
    case applied
    case attempt
    case attempts
    /// The outcome of device authentication.
    case authentication
    /// The first levels of all topics of the bridge.
    case base
    /// The host and port of the MQTT broker.
    case broker
    case bytes
    /// The id of a device, in messages of the library.
    case castDevice = "cast.device"
    /// A configured host, in messages of the library.
    case castHost = "cast.host"
    /// The namespace of a channel or a message.
    case castNamespace = "cast.namespace"
    /// The address of a web client.
    case client
    case clientID = "client_id"
    /// The name of a command: the tail of its topic, or `cmd` of its JSON form.
    case command
    case configuration
    /// A number of things that the message names.
    case count
    case days
    /// More about the event, for people.
    case detail
    /// The slug of a device, or its id while it has no slug.
    case device
    case devices
    /// The error: its code, or its description where it has none.
    case error
    case exitCode = "exit_code"
    /// The path of a file that was written.
    case file
    /// The first of several problems.
    case first
    /// The number of device keys that were forgotten.
    case forgotten
    /// The id of the device that answered instead of the expected one.
    case found
    case host
    /// Why media ended.
    case idleReason = "idle_reason"
    /// The `instance` of a bridge.
    case instance
    case interface
    /// The id of a queue item.
    case item
    /// The limit that was reached.
    case limit
    /// The path of a log file.
    case log
    case mediaSession = "media_session"
    case milliseconds
    case model
    /// The name of a device or a service.
    case name
    /// The keys of the configuration that wait for a restart.
    case needsRestart = "needs_restart"
    case outage
    /// The outcome of a request: `ok` or the code of its error.
    case outcome
    /// The name of a member of a pair.
    case owner
    /// The path of a file or directory.
    case path
    /// The address of the other end of a connection.
    case peer
    case pid
    case player
    case port
    /// The previous name, slug or device.
    case previous
    /// A number of problems.
    case problems
    case `protocol`
    case reason
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
    case startedAt = "started_at"
    case topic
    case topics
    case transition
    case version
}
