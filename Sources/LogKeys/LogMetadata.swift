package import Logging

/// The metadata of one log message. Its keys are those of `LogKey`.
package struct LogMetadata: ExpressibleByDictionaryLiteral {
    package private(set) var fields: Logger.Metadata

    package init(dictionaryLiteral elements: (LogKey, Logger.MetadataValue)...) {
        self.fields = Dictionary(elements.map { ($0.rawValue, $1) }, uniquingKeysWith: { $1 })
    }

    package subscript(key: LogKey) -> Logger.MetadataValue? {
        get { self.fields[key.rawValue] }
        set { self.fields[key.rawValue] = newValue }
    }
}

// The methods of `Logger`, with typed keys. Neither message nor metadata is formed when the level is off.
extension Logger {
    package func log(
        level: Level, _ message: @autoclosure () -> Message, metadata: @autoclosure () -> LogMetadata, file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) { self.log(level: level, message(), metadata: metadata().fields, file: file, function: function, line: line) }

    package func debug(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> LogMetadata, file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) { self.log(level: .debug, message(), metadata: metadata().fields, file: file, function: function, line: line) }

    package func info(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> LogMetadata, file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) { self.log(level: .info, message(), metadata: metadata().fields, file: file, function: function, line: line) }

    package func notice(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> LogMetadata, file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) { self.log(level: .notice, message(), metadata: metadata().fields, file: file, function: function, line: line) }

    package func warning(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> LogMetadata, file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) { self.log(level: .warning, message(), metadata: metadata().fields, file: file, function: function, line: line) }

    package func error(
        _ message: @autoclosure () -> Message, metadata: @autoclosure () -> LogMetadata, file: String = #fileID,
        function: String = #function, line: UInt = #line
    ) { self.log(level: .error, message(), metadata: metadata().fields, file: file, function: function, line: line) }
}
