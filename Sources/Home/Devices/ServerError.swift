package import Identity
package import JSON

/// Why the server has not done what it was asked.
///
///     {"error": {"exception": string, "details": object}, "message": string / null} ; either may be missing
///     {"error": word, "message": string}                                            ; from the hub's gateway
///
/// Accepted: `{"error":{"exception":"NotFoundException","details":{"type":"device"}}}`, `{"message":"no"}`,
/// `{"error":"not_approved","message":"no"}`. Any other body with a status of 4xx or 5xx, HTML for example,
/// is ``status``.
package enum ServerError: Error, Equatable {
    /// The server refuses; its words, and the HTTP status.
    case refused(status: Int, exception: String?, details: [String: JSONValue], message: String?)
    /// The gateway in front of the server refuses; its word and its sentence.
    case gateway(status: Int, word: String, message: String)
    /// A status without a readable reason; the type of the body.
    case status(Int, contentType: String?)
    /// The status is good, but the body is not what was asked for; why.
    case unreadable(String)

    /// Reads a response of `status` (400–599).
    package init(status: Int, contentType: String?, body: [UInt8]) {
        let body = JSONValue(parsing: body)?.asObject ?? [:]
        let message = body["message"]?.asString
        if let word = body["error"]?.asString {
            self = .gateway(status: status, word: word, message: message ?? word)
        } else if let error = body["error"]?.asObject, let exception = error["exception"]?.asString {
            self = .refused(
                status: status, exception: exception, details: error["details"]?.asObject ?? [:],
                message: message)
        } else if let message {
            self = .refused(status: status, exception: nil, details: [:], message: message)
        } else {
            self = .status(status, contentType: contentType)
        }
    }
}

extension ServerError: UserError {
    /// What is wrong, in lower case, without a full stop. It may hold words of the server: escape them.
    package var description: String {
        switch self {
        case .refused(404, "NotFoundException", let details, _):
            if case .string(let type) = details["type"] {
                "the hub knows no such \(type == "device" ? "appliance" : shortened(type))"
            } else {
                "the hub knows nothing of that kind"
            }
        case .refused(_, "InvalidStateException", let details, _):
            "the hub refuses the state" + ServerError.expectation(details)
        case .refused where isOfBrokenDatabase:
            "the server behind the hub cannot read its database, or what an appliance has told it "
                + "(\(ServerError.brokenJSON))"
        case .refused(let status, let exception?, let details, _):
            "the hub answers \(status): \(shortened(exception))"
                + (details.isEmpty ? "" : " \(shortened(JSONValue.object(details).text))")
        case .refused(let status, nil, _, let message):
            "the hub answers \(status): \(shortened(message ?? ""))"
        case .gateway(_, "no_upstream", _):
            "there is no server behind its gateway, so there is nothing to control"
        case .gateway(_, _, let message): message.unicodeScalars.count > 300 ? shortened(message) : message
        case .status(let status, let contentType):
            "the hub answers \(status) without a reason" + (contentType.map { " (\(shortened($0)))" } ?? "")
        case .unreadable(let reason): "the hub's answer cannot be understood: \(reason)"
        }
    }

    private static func expectation(_ details: [String: JSONValue]) -> String {
        guard case .string(let type) = details["expected_type"] else { return "" }
        // The server is written in Python, and names types in that language.
        return switch type {
        case "<class 'bool'>": ": it expects on or off"
        case "<class 'float'>": ": it expects a level from 0 to 1"
        default: ": it expects \(shortened(type))"
        }
    }

    /// What to do if a hub that was a stock hub now has a gateway. Paired hubs are always asked with a
    /// certificate.
    package static let guardedHint =
        "it has hubpair now: pair with it; 'hubpair hubs forget HUB' takes its old entry away"

    /// How to get rid of an appliance that makes the hub's list fail.
    package static let deadHint = "'hubpair home remove ID' takes it off; the hub's log names it"

    /// What the hub says of a server whose database is broken; how it knows stands behind.
    package static let brokenDatabase = "the database of the server behind the hub is broken"
    /// What to do about it, on the computer of that server.
    package static let databaseHint =
        "stop that server, put a copy of its database in its place, or move the broken file away (it begins "
        + "an empty one, and the appliances are added again: 'hubpair home add'), and start it"
    private static let brokenJSON = "JSONDecodeError"

    /// True if the server has failed to read JSON: its database is a file of that, and two requests at once
    /// break it. So do answers of an appliance; then others can be asked.
    package var isOfBrokenDatabase: Bool {
        guard case .refused(500, "ServerException", let details, _) = self else { return false }
        return details["exception"] == .string(ServerError.brokenJSON)
    }

    /// True if the gateway has no answer of the server.
    package var isOfSilentServer: Bool {
        switch self {
        case .gateway(502, "upstream_unavailable", _), .gateway(503, "upstream_away", _),
            .gateway(504, "upstream_timeout", _):
            true
        case .refused, .gateway, .status, .unreadable: false
        }
    }

    /// True if the server itself has failed, not the gateway in front of it.
    package var isFailureOfServer: Bool {
        switch self {
        case .refused(500..., _, _, _), .status(500..., _): true
        case .refused, .gateway, .status, .unreadable: false
        }
    }

    /// True if the request has gone nowhere, since others are before it: it may be sent again.
    package var isOfCrowd: Bool {
        switch self {
        case .gateway(429, "too_many", _), .gateway(503, "upstream_busy", _): true
        case .refused, .gateway, .status, .unreadable: false
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .gateway where isOfSilentServer: .unavailable
        case .gateway(401, _, _), .gateway(403, _, _), .refused(401, _, _, _), .refused(403, _, _, _):
            .notPermitted
        case .gateway(408, _, _), .gateway(429, _, _), .gateway(503, _, _), .status(503, _): .tryAgain
        case .refused(404, "NotFoundException", _, _): .notFound
        case .refused(500..., _, _, _), .status(500..., _), .gateway(500..., _, _): .unavailable
        case .refused, .status, .gateway, .unreadable: .data
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .refused(404, _, let details, _)
        where details["type"] == .string("collection") || details["type"] == .string("plugin"):
            "'hubpair home add' lists what the hub can add"
        case .refused(404, _, _, _): "'hubpair home' lists what there is"
        case .refused(_, "InvalidStateException", _, _):
            "'hubpair home show APPLIANCE' shows what can be set on it"
        case .refused(400..<500, _, _, _):
            "its server may be of another version; 'hubpair call GET /devices/' shows what it says"
        case .refused where isOfBrokenDatabase: "on the hub: 'hubpair doctor' says what to do"
        case .refused: "on the hub: its own log tells more"
        case .gateway(401, _, _): ServerError.guardedHint
        case .gateway(403, "not_allowed", _):
            "on the hub: 'hubpair devices role DEVICE member' lets this computer do more, and owner all"
        case .gateway(403, _, _):
            "on the hub: 'hubpair devices' shows how this computer stands, "
                + "and a code from 'hubpair print' lets it in"
        case .gateway(_, "no_upstream", _):
            "on the hub: 'hubpair setup --change --upstream https://127.0.0.1:8443' names it the server"
        case .gateway(503, "upstream_busy", _):
            "its server takes one request at a time: try again in a moment"
        case .gateway(429, "too_many", _):
            "other programs of this computer talk to the hub, too: try again when they have ended"
        case .gateway(502, _, _), .gateway(504, _, _), .gateway(503, "upstream_away", _):
            "on the hub: is the server behind the gateway running?"
        case .gateway(400..<500, _, _): "on this computer: 'hubpair --version' says whether it is up to date"
        case .gateway: "on the hub: its own log tells more"
        case .status(404, _): "is it a Hestia server that stands behind the hub's gateway?"
        case .status: "on the hub: is the server behind the gateway well? its log tells more"
        case .unreadable: "is it a Hestia server that stands behind the hub's gateway?"
        }
    }
}
