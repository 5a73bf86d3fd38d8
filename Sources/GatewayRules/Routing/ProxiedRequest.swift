import Pairing

/// The request that a reverse proxy asks about, as the fields of its question say.
///
///     X-Original-Method: POST             X-Forwarded-Method: POST
///     X-Original-URI: /devices/1?x        X-Forwarded-Uri: /devices/1?x
///     X-Original-Upgrade: websocket
///
/// nginx sends what its configuration names, by custom the left column; Traefik and Caddy send the right one.
/// A client can add the column that its proxy does not write. So all methods must be the same, and all
/// targets, and one column must be whole. `X-Original-Upgrade` is `samples/nginx.conf`'s own: a question is
/// never an upgrade itself. A proxy that hands on the client's fields shows a WebSocket by its
/// `Sec-WebSocket-Key`.
///
/// Accepted: one column, or both with the same values. Contradicting: two methods, or two targets. Unsaid:
/// only a method, or a method of one column and a target of the other.
package enum ProxiedRequest: Equatable, Sendable {
    /// The proxy does not say.
    case unsaid
    case contradicting
    /// The target is no path, or in whatever spelling one of the hub's own, which nobody may answer in its
    /// place.
    case withheld
    case request(RequestKind)

    /// The appliance that a request of the kind `switching` is about; nil for others.
    static func appliance(in fields: FieldBlock) -> String? {
        let target = fields.fields.first { $0.role == .originalTarget || $0.role == .forwardedTarget }
        return target.map(fields.value).flatMap { RequestKind.activator(in: $0)?.appliance }
    }

    package init(_ fields: FieldBlock) {
        let methods = fields.fields.filter { $0.role == .originalMethod || $0.role == .forwardedMethod }
        let targets = fields.fields.filter { $0.role == .originalTarget || $0.role == .forwardedTarget }
        let isAgreed = [methods, targets].allSatisfy { column in
            column.allSatisfy { fields.value(of: $0).elementsEqual(fields.value(of: column[0])) }
        }
        guard isAgreed else {
            self = .contradicting
            return
        }
        let isWhole =
            (fields.has(.originalMethod) && fields.has(.originalTarget))
            || (fields.has(.forwardedMethod) && fields.has(.forwardedTarget))
        guard isWhole, let method = methods.first.map(fields.value),
            let target = targets.first.map(fields.value)
        else {
            self = .unsaid
            return
        }
        let isPlain = !fields.fields.contains { field in
            switch field.role {
            case .upgrade, .webSocket, .methodOverride: true
            case .originalUpgrade: !fields.value(of: field).isEmpty
            default: false
            }
        }
        let path = String(decoding: target, as: UTF8.self)
        self =
            target.first == UInt8(ascii: "/") && GatewayPath(target: path) == .upstream
            ? .request(RequestKind(method: method, target: target, isPlain: isPlain)) : .withheld
    }
}
