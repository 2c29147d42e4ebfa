import CastProtocol
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension CastError {
    /// Creates the error for a connection that failed: `timeout`, or `networkError` with the system's reason in words.
    package init(connection error: any Error) {
        switch error {
        case let error as CastError: self = error
        case ChannelError.connectTimeout: self.init(.timeout, detail: "TCP connect timed out")
        // The description of an `IOError` begins with the failed call and is not made for people.
        case let error as IOError: self.init(.networkError, detail: String(cString: strerror(error.errnoCode)))
        default: self.init(.networkError, detail: "\(error)")
        }
    }
}
