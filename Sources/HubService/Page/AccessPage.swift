import GatewayRules
import HubPage
import JSON
import NIOHTTP1
import Pairing

/// The page on which an owner lets devices in and takes access back without JavaScript: `GET access` shows
/// it, and its forms are posted to it.
///
///     form   = "do=" ( "approve" / "refuse" / "revoke" / "role" ) "&device=" fingerprint [ "&role=" role ]
///
/// A form is what the page for other browsers asks for too, and is carried out by the same paths: this type
/// only translates. A post has no token: no other site can send one, since a browser sends `Origin` and
/// `Sec-Fetch-Site` with every post of a form and the hub refuses those of another origin before anything
/// else is looked at; and a token would have to be kept somewhere.
///
/// Accepted: `do=approve&device=K7QF-2M9D-X0TW-8RHC&role=guest`. Rejected: another word, no fingerprint, an
/// item that is not known.
struct AccessPage {
    /// Where it is, and where its forms go.
    private static let path = HubResource.root + ResourcePattern.access.rawValue

    /// What carries out what the forms ask for.
    let owners: any HubResources
    let t: PageWords

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        guard request.method == "POST" else { return await page(for: request.device, note: nil) }
        let (method, resource, body): (String, HubResource, JSONValue?)
        do {
            (method, resource, body) = try AccessPage.wish(String(decoding: request.body, as: UTF8.self))
        } catch {
            return await page(for: request.device, note: error.message, .badRequest)
        }
        var bytes: [UInt8] = []
        body?.write(to: &bytes)
        let answer = await owners.answer(
            ResourceRequest(resource, method: method, from: request.device, body: bytes))
        guard case .reply(let reply) = answer else { return .reply(ServeReply(.notFound)) }
        if reply.status == .ok {
            // So that loading the page again does not post the form again (RFC 9110 § 15.4.4).
            return .reply(
                ServeReply(
                    .seeOther, page: [], headers: PageHeaders.forms + [("Location", AccessPage.path)]))
        }
        return await page(for: request.device, note: AccessPage.message(of: reply), reply.status)
    }

    private static func wish(
        _ form: String
    ) throws(BadOwnerRequest) -> (method: String, HubResource, body: JSONValue?) {
        let items: QueryItems
        do {
            items = try QueryItems(form, names: ["do", "device", "role"])
        } catch {
            throw BadOwnerRequest(message: error.message)
        }
        guard let device = items.text("device").flatMap({ Fingerprint($0) }) else {
            throw BadOwnerRequest(message: "the form names no device")
        }
        let segments = [device.description]
        let role: JSONValue? = items.text("role").map { .object(["role": .string($0)]) }
        switch items.text("do") {
        case "approve": return ("POST", HubResource(.deviceApproval, segments: segments), role)
        case "refuse": return ("POST", HubResource(.deviceRefusal, segments: segments), nil)
        case "revoke": return ("POST", HubResource(.deviceRevocation, segments: segments), nil)
        case "role": return ("PUT", HubResource(.device, segments: segments), role)
        default: throw BadOwnerRequest(message: "the form does not say what to do")
        }
    }

    private func page(
        for device: ApprovedDevice, note: String?, _ status: HTTPResponseStatus = .ok
    ) async -> ResourceAnswer {
        let answer = await owners.answer(ResourceRequest(HubResource(.devices), method: "GET", from: device))
        guard case .reply(let reply) = answer else { return .reply(ServeReply(.notFound)) }
        guard reply.status == .ok else { return answer }
        var records: [DeviceRecord] = []
        if case .array(let values)? = JSONValue(parsing: reply.body)?.asObject?["devices"] {
            records = values.compactMap { value in
                var bytes: [UInt8] = []
                value.write(to: &bytes)
                return try? JSONReader.read(DeviceRecord.self, from: bytes)
            }
        }
        return .reply(
            ServeReply(
                status, page: document(records, of: device.fingerprint, note: note),
                headers: PageHeaders.forms))
    }

    private static func message(of reply: ServeReply) -> String {
        JSONValue(parsing: reply.body)?.asObject?["message"]?.asString ?? reply.status.reasonPhrase
    }

    // MARK: HTML

    private func document(
        _ records: [DeviceRecord], of device: Fingerprint, note: String?
    ) -> [UInt8] {
        let asking = records.filter { $0.status == .pending }.map(self.request)
        let known = records.filter { $0.status == .approved }.map {
            self.known($0, isSelf: $0.device == device)
        }
        return plainPage(
            t("Access"), in: t.language,
            """
            <main class="plain">
            <h1>\(t("Access"))</h1>
            \(note.map { "<p role=\"alert\"><strong>\(htmlText($0))</strong></p>" } ?? "")
            <h2>\(t("Waiting to be let in"))</h2>
            \(list(asking, orElse: t("Nobody is waiting.")))
            <h2>\(t("Devices"))</h2>
            \(list(known, orElse: t("No device is let in.")))
            <p class="small"><a href="\(PagePath.page.rawValue)">\(t("Back to the page of the house"))</a></p>
            </main>
            """)
    }

    private func list(_ items: [String], orElse text: String) -> String {
        items.isEmpty
            ? "<p class=\"small\">\(text)</p>"
            : "<ul class=\"devices\">\n\(items.joined(separator: "\n"))\n</ul>"
    }

    private func request(_ record: DeviceRecord) -> String {
        let alike =
            record.resembles.isEmpty
            ? "" : "<br>" + t("Its name looks like that of a device that is let in already.")
        let compare = t(
            "{0} – compare it with what stands on the device’s screen.", "<code>\(record.device)</code>")
        return """
            <li><strong dir="auto">\(htmlText(record.name.description))</strong><br>
            \(compare)\(alike)
            \(form(for: record))
            \(roles(for: record, chosen: .member))
            <button class="primary" name="do" value="approve">\(t("Approve"))</button>
            <button name="do" value="refuse">\(t("Refuse"))</button></form></li>
            """
    }

    private func known(_ record: DeviceRecord, isSelf: Bool) -> String {
        """
        <li><strong dir="auto">\(htmlText(record.name.description))</strong>\
        \(isSelf ? " (\(t("this browser")))" : "")<br>
        <code>\(record.device)</code>
        \(form(for: record))
        \(roles(for: record, chosen: record.knownRole))
        <button name="do" value="role">\(t("Change the role"))</button>
        <button class="danger" name="do" value="revoke">\(t("Revoke"))</button></form></li>
        """
    }

    private func form(for record: DeviceRecord) -> String {
        """
        <form method="post" action="\(AccessPage.path)">\
        <input type="hidden" name="device" value="\(record.device)">
        """
    }

    private func roles(for record: DeviceRecord, chosen: Role?) -> String {
        let options = Role.allCases.map { role in
            """
            <option value="\(role.rawValue)"\(role == chosen ? " selected" : "")>\(words(of: role))</option>
            """
        }
        let label = t("Role of {0}", htmlText(record.name.description))
        return "<select name=\"role\" aria-label=\"\(label)\">\(options.joined())</select>"
    }

    private func words(of role: Role) -> String {
        switch role {
        case .owner: t("Owner")
        case .member: t("Member")
        case .guest: t("Guest")
        }
    }
}
