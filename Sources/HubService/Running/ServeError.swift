import Glibc
package import Identity

/// Why the hub cannot start. The description is shown to the user.
package enum ServeError: Equatable, UserError {
    /// Another program listens on the port.
    case portBusy(UInt16)
    /// This hub serves on the port already, as a service or not.
    case servedAlready(UInt16, isService: Bool)
    /// A port below 1024, or one that the system reserves.
    case portNotPermitted(UInt16)
    /// An address that this machine does not have.
    case noSuchAddress(String)
    /// Listening failed with this errno.
    case cannotListen(Int32, address: String)
    /// The system allows fewer descriptors than the connections may need; `fitting` connections would fit.
    case tooFewDescriptors(Int, needed: Int, fitting: Int)
    /// The upstream is the hub itself, so requests would loop.
    case upstreamIsHub(String)
    /// The figures cannot be told there.
    case noMetrics(String, errno: Int32)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .portBusy(let port): "the port \(port) is taken already"
        case .servedAlready(let port, _): "this hub is running already, on port \(port)"
        case .portNotPermitted(let port): "the port \(port) is not for this user"
        case .noSuchAddress(let address): "\(address) is not an address of this host"
        case .cannotListen(let code, let address):
            "cannot listen on \(address): \(String(cString: strerror(code)))"
        case .tooFewDescriptors(let limit, let needed, _):
            "the system lets this process open \(limit) files and connections, and the hub may need \(needed)"
        case .upstreamIsHub(let url): "the upstream \(url) is this hub's own port"
        case .noMetrics(let place, let code):
            "cannot tell the metrics at \(place): \(String(cString: strerror(code)))"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .portBusy, .servedAlready: .unavailable
        case .portNotPermitted: .notPermitted
        case .noSuchAddress, .cannotListen, .tooFewDescriptors, .upstreamIsHub, .noMetrics:
            .configuration
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .portBusy(let port):
            "see which program has it: sudo ss -ltnp 'sport = :\(port)'; a stock hub must move to another "
                + "port, on 127.0.0.1"
        case .servedAlready(_, let isService):
            isService ? "systemctl status hubpair" : "nothing needs to be done; Ctrl-C ends the other one"
        case .portNotPermitted:
            "choose a port from 1024 on in the hub's settings, or give the service CAP_NET_BIND_SERVICE"
        case .noSuchAddress: "'ip address' lists this host's addresses"
        case .cannotListen: "give another address with --listen"
        case .tooFewDescriptors(_, let needed, let fitting):
            "raise the limit (LimitNOFILE=\(needed) in the systemd unit, or 'ulimit -Hn \(needed)' as root)"
                + (fitting > 0 ? ", or take fewer clients: --max-connections \(fitting)" : "")
        case .upstreamIsHub:
            "let the server behind the hub listen on another port, and put that into 'upstream'"
        case .noMetrics: "give another place: --metrics 127.0.0.1:9464"
        }
    }
}
