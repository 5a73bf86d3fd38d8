import Addresses
import GatewayRules
import Identity

/// Where a picture is asked for: at the server behind the hub, or at a camera in the home's own network.
///
///     address   = path / ( "http" / "https" ) "://" [ user [ ":" password ] "@" ] host [ ":" port ] [ path ]
///     path      = ( "/" / "?" ) and visible ASCII but "\" and "#"
///
/// The threat is an address that leads the hub to something that trusts it. A path goes through the gate's
/// queue to the server that devices reach anyway, and not to what the gate keeps for the house. An address
/// has to lead into the home's own network (RFC 1918, RFC 4193, RFC 6598), where every other device may ask
/// for the same: not to this machine (loopback), whose programs trust who reaches them there, not to
/// link-local addresses (the metadata of clouds), and not to the Internet, to which nothing of this house
/// goes by itself.
/// All addresses of a name are looked at, each time, and the one that was looked at is connected to. It is
/// asked with GET and nothing else, no redirect is followed, and nothing but a picture comes back
/// (``PictureType``).
///
/// Accepted: `/cameras/door.jpg`, `http://192.168.1.30/snapshot.jpg?width=640`, `http://cam.lan:8080`,
/// `http://view:secret@192.168.1.30/`. Rejected: `//host/x`, `/hubpair/gate/file/hub`, `http://127.0.0.1/`,
/// `http://169.254.169.254/`, `http://8.8.8.8/`, `ftp://cam/`, `http://cam:0/`, `http://cam/#x`.
enum PictureAddress: Equatable, Sendable {
    /// The target of a request to the server behind the hub.
    case upstream(String)
    case camera(Camera)

    struct Camera: Equatable, Sendable {
        let isSecure: Bool
        let host: WebHost
        let port: UInt16
        let target: String
        /// `user:password`, as it is written, but decoded; nil without one.
        let user: [UInt8]?

        var authority: String { port == (isSecure ? 443 : 80) ? "\(host)" : "\(host):\(port)" }

        /// True if the camera may be asked at this address of its host.
        static func allows(_ address: NetworkAddress) -> Bool {
            (address.isPrivate || address.isShared) && !address.isLoopback && !address.isLinkLocal
                && !address.isMulticast && !address.isUnspecified
        }
    }

    /// What is wrong with an address, in words. Never reaches a user alone: the hub answers with it.
    struct Fault: Error, Equatable {
        let description: String
    }

    init(_ text: String) throws(Fault) {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5C && $0 != 0x23 }) else {
            throw Fault(description: "the address has a space, a '#', or another character that none has")
        }
        if text.hasPrefix("/") {
            guard !text.hasPrefix("//"), !text.lowercased().hasPrefix("/hubpair") else {
                throw Fault(description: "this is no path of the server behind the hub")
            }
            self = .upstream(text)
            return
        }
        let lower = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: lower.hasPrefix) else {
            throw Fault(description: "an address begins with http://, https:// or /")
        }
        self = .camera(try Camera(text.dropFirst(scheme.count), isSecure: scheme == "https://"))
    }
}

extension PictureAddress.Camera {
    fileprivate init(_ rest: Substring, isSecure: Bool) throws(PictureAddress.Fault) {
        self.isSecure = isSecure
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        self.target = target.hasPrefix("/") ? String(target) : "/\(target)"
        var place = authority[...]
        if let at = authority.lastIndex(of: "@") {
            user = PercentCoding.decoded(Array(authority[..<at].utf8)[...])
            place = authority[authority.index(after: at)...]
        } else {
            user = nil
        }
        let end = place.hasPrefix("[") ? place.firstIndex(of: "]").map(place.index(after:)) : nil
        let host = end.map { place[..<$0] } ?? place.prefix { $0 != ":" }
        let port = place.dropFirst(host.count)
        guard let host = WebHost(host) else {
            throw PictureAddress.Fault(description: "the address has no host that can be asked")
        }
        self.host = host
        if case .address(let address) = host, !Self.allows(address) {
            throw PictureAddress.Fault(
                description: "\(address) is no address of the home's own network; of a program on the hub "
                    + "give a path of the server behind it")
        }
        if port.isEmpty {
            self.port = isSecure ? 443 : 80
        } else {
            guard let number = UInt16(digits: port.dropFirst()), number > 0 else {
                throw PictureAddress.Fault(description: "the address has no port that can be asked")
            }
            self.port = number
        }
    }
}
