package import Pairing

/// Why the hub refuses a request: it determines the status and the message for the client.
package enum RequestRefusal: Equatable, Sendable {
    /// A path under `/hubpair` that is not an endpoint.
    case notFound
    /// The path takes these methods, and this one is not among them.
    case wrongMethod([String])
    /// One of the hub's own resources takes no body with this method.
    case unexpectedBody
    /// A method that the gateway never forwards.
    case methodNotPassedOn
    case noCertificate
    /// The client's key is of a type that no device uses; the string names it: "an RSA key".
    case wrongKey(String)
    /// The answer to a proxy: it must not let the request pass.
    case notVerified
    /// The keyfile of approved devices cannot be read.
    case unreadable
    /// The device is not in the keyfile.
    case stranger
    /// The device is in the keyfile, but has no access.
    case notApproved(DeviceVerdict)
    /// A browser sends it for another site's page.
    case crossSite
    /// A browser knows the hub by a host that is not the hub's; nil: what it sent is no host.
    case otherHost(WebHost?)
    /// A browser asks for the script of another service worker than the page's own: it could answer in the
    /// hub's place, whatever page made the browser ask.
    case serviceWorker
    /// The device's role does not allow the request.
    case notAllowed(Role)
    /// The device's role does not allow the service.
    case serviceNotAllowed(Role?)
    /// Guests do not set this appliance.
    case guarded
    /// A guest is to set an appliance of which the hub does not know what it is.
    case unknownAppliance
    /// A proxy asks, and what it says of the request lets nobody of this role in.
    case notAllowedByProxy(ProxiedRequest)
    /// There is no server behind the gateway.
    case noUpstream
    /// The body has more bytes than the gateway forwards.
    case tooLarge(limit: Int)

    /// The HTTP status (RFC 9110 § 15).
    package var status: Int {
        switch self {
        case .unexpectedBody: 400
        case .noCertificate, .wrongKey, .notVerified: 401
        case .stranger, .notApproved, .crossSite, .serviceWorker, .notAllowed, .serviceNotAllowed, .guarded,
            .notAllowedByProxy:
            403
        case .notFound: 404
        case .wrongMethod, .methodNotPassedOn: 405
        case .tooLarge: 413
        case .otherHost: 421
        case .noUpstream: 502
        case .unreadable, .unknownAppliance: 503
        }
    }

    /// The machine-readable error code.
    package var word: String {
        switch self {
        case .unexpectedBody: "bad_request"
        case .noCertificate, .wrongKey, .notVerified: "no_certificate"
        case .notApproved(.unknownRole): "role_unknown"
        case .stranger, .notApproved: "not_approved"
        case .crossSite: "cross_site"
        case .otherHost: "unknown_host"
        case .serviceWorker: "service_worker"
        case .notAllowed, .serviceNotAllowed, .guarded, .notAllowedByProxy: "not_allowed"
        case .notFound: "not_found"
        case .wrongMethod, .methodNotPassedOn: "method_not_allowed"
        case .tooLarge: "too_large"
        case .noUpstream: "no_upstream"
        case .unreadable, .unknownAppliance: "unavailable"
        }
    }

    /// What is wrong and how to fix it, for people.
    package var message: String {
        switch self {
        case .notFound: "the hub has no such page"
        case .wrongMethod(let methods): "this page takes \(methods.joined(separator: ", "))"
        case .unexpectedBody: "this request takes no body"
        case .methodNotPassedOn: "the gateway does not pass this method on"
        case .noCertificate:
            "only paired devices are served here, and this one showed no certificate; pair it: "
                + "run 'hubpair print' on the hub and 'hubpair pair' on the device, then use "
                + "'hubpair call' or the device's certificate"
        case .wrongKey(let kind):
            "the certificate that came has \(kind), and devices are known here by a P-256 key; "
                + "pair with one: 'hubpair pair' makes it"
        case .notVerified: "no approved device's certificate came with the request"
        case .unreadable:
            "the hub cannot read its list of approved devices; see its log, or run 'hubpair devices' on it"
        case .notApproved(.pending):
            "the owner has not approved this device yet; see 'hubpair devices' on the hub"
        case .notApproved(.revoked):
            "the owner has revoked this device; only a new code lets it in again"
        case .notApproved(.expired):
            "the approval of this device has expired; see 'hubpair devices' on the hub"
        case .notApproved(.unknownRole):
            "the hub does not know this device's role; see 'hubpair doctor' on the hub"
        case .crossSite:
            "another site's page sent this; type the hub's address yourself"
        case .otherHost(let host?):
            "this hub does not know \(host) as a name of its own; if it is, the owner adds it on the hub: "
                + "hubpair hub names add \(host)"
        case .otherHost(nil): "the request's Host names no host"
        case .serviceWorker:
            "no service worker is installed under this address: it could answer in the hub's place"
        case .notAllowed(.member):
            "only a device with the role owner may do this; 'hubpair devices role' on the hub gives it one"
        case .notAllowed(let role):
            "a device with the role \(role.rawValue) may look, and switch what is there, and nothing else; "
                + "the owner gives it another role with 'hubpair devices role' on the hub"
        case .serviceNotAllowed(let role?):
            "a device with the role \(role.rawValue) may not use this service; the owner lets it in with "
                + "'hubpair hub service allow SERVICE DEVICE' on the hub"
        case .serviceNotAllowed(nil):
            "this device may not use this service; the owner lets it in with 'hubpair hub service allow "
                + "SERVICE DEVICE' on the hub"
        case .guarded:
            "guests do not set what keeps people, water or thieves out; a member lets them with "
                + "'hubpair home kind APPLIANCE --guests'"
        case .unknownAppliance:
            "the hub cannot find out now what this appliance is, so guests do not set it; try again soon"
        case .notAllowedByProxy(.contradicting):
            "the proxy in front of the hub names two requests that contradict each other"
        case .notAllowedByProxy(.withheld): "the hub's own paths are not passed on, nor is what is no path"
        case .notAllowedByProxy:
            "the proxy in front of the hub does not say which request it asks about, so guests are not let "
                + "in; 'Behind nginx' in the hub's documentation says how"
        case .stranger, .notApproved(.unknown), .notApproved(.approved):
            "this device has not paired with the hub; run 'hubpair pair' on it"
        case .noUpstream:
            "the hub has no server behind it to pass requests on to; "
                + "set one with 'hubpair setup --change --upstream URL'"
        case .tooLarge(let limit): "the body has more than \(limit) bytes"
        }
    }

    /// A header field that the status requires: `Allow` for 405 (RFC 9110 § 15.5.6), `WWW-Authenticate` for
    /// 401 (§ 15.5.2). No authentication scheme is registered for TLS certificates, so the challenge uses a
    /// private one.
    package var field: (name: String, value: String)? {
        switch self {
        case .noCertificate, .wrongKey, .notVerified: ("WWW-Authenticate", "Hubpair realm=\"hubpair\"")
        case .wrongMethod(let methods): ("Allow", methods.joined(separator: ", "))
        case .methodNotPassedOn: ("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
        default: nil
        }
    }
}
