import Hummingbird
import HummingbirdTLS

/// The web page of the bridge, its JSON API and its metrics.
package enum Dashboard {}
