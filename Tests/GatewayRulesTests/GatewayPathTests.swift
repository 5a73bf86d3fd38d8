import Pairing
import Testing

@testable import GatewayRules

@Suite struct GatewayPathTests {
    @Test(arguments: [
        ("/hubpair/v1/hub", PairEndpoint.hub), ("/hubpair/v1/hub?x=/../y", .hub),
        ("/hubpair/v1/pair", .pair), ("/hubpair/v1/device", .device), ("/hubpair/v1/verify", .verify),
    ])
    func own(target: String, endpoint: PairEndpoint) {
        #expect(GatewayPath(target: target) == .own(endpoint))
    }

    @Test(arguments: [
        ("/hubpair/", PagePath.page), ("/hubpair/?x=/../y", .page), ("/hubpair/page/page.css", .style),
        ("/hubpair/page/page.js?1", .script), ("/hubpair/page/icon.svg", .icon),
    ])
    func page(target: String, file: PagePath) { #expect(GatewayPath(target: target) == .page(file)) }

    @Test(arguments: [
        "/hubpair/page", "/hubpair/page/", "/hubpair//", "/hubpair/index.html", "/hubpair/page/%70age.css",
        "/hubpair/page/page.css/", "/hubpair/page/../page/page.css", "/hubpair/Page/page.css", "/hubpair/#x",
        "/hubpair/page/page.js%3f1", "/hubpair/;x", "/hubpair/.", "/hubpair/page/page.c",
        "/hubpair", "/hubpair?x", "/hubpairing", "/hubpair/v1/hub/", "/hubpair/v1/Hub",
        "/hubpair/v1/hub%20", "/hubpair/../devices", "/hubpair/v1//hub", "//hubpair/v1/hub", "/./hubpair",
        "/././/hubpair/x", "/%68ubpair", "/%2568ubpair", "/%252568ubpair", "/hub%70air/v1/hub",
        "/HubPair/v1/hub", "/HUBPAIR", "/%48UBPAIR", "/x/../hubpair", "/x/%2e%2e/hubpair", "/x/..%2fhubpair",
        "/%2fhubpair", "/%2Fhubpair", "/%5chubpair", "/\\hubpair", "/.%2f/hubpair", "/;x/hubpair",
        "/..;/hubpair", "/x/..;y/hubpair", "/hubpair;x", "/hubpair%00", "/%00/hubpair", "/%09hubpair",
        "/%20hubpair", "/x/y/../../hubpair/v1/pair", "/x/../hubpair/../devices", "/..%5c..%5chubpair",
        "/%25252525252525252568ubpair",
    ])
    func withheld(target: String) { #expect(GatewayPath(target: target) == .withheld) }

    @Test(arguments: [
        "/", "/devices/", "/devices/?x=/hubpair", "/hubpai", "/hub/pair", "/x/hubpair", "/x/%68ubpair",
        "/devices/%zz", "/a%20b", "/%", "/../devices", "/x/../devices", "/Devices", "/a;b=c", "/ahubpair",
        "/plugins/hue/lamp%2f1", "/hub.pair", "/%e2%98%83",
    ])
    func passedOn(target: String) { #expect(GatewayPath(target: target) == .upstream) }
}
