/// An order for a colour: "make the desk lamp turquoise", "stell die Stehlampe auf rot".
///
///     sentence = [ verb ] things [ "to" / "auf" / "in" ] colour      ; ColourWord
///
/// It is read as an order to switch these on, so things mean what they mean there. Whoever tries it has
/// tried the sentence as it is first: a scene may be called after a colour.
package struct SpokenColour: Equatable, Sendable {
    package let colour: ColourWord
    /// The same things, switched on.
    package let order: String

    private static let english: Set<String> = ["make", "turn", "set", "change", "colour", "color", "paint"]
    private static let german: Set<String> = ["mach", "mache", "stell", "stelle", "farbe", "schalte", "setz"]

    package init?(_ text: String) {
        guard text.utf8.count <= SpokenLanguage.maximumByteCount else { return nil }
        var words = SpokenText.tokens(text)
        while let last = words.last, [".", ",", "please", "bitte"].contains(last) { words.removeLast() }
        let found = [2, 1].lazy.compactMap { count in
            words.count > count
                ? ColourWord(words.suffix(count).joined(separator: " ")).map { (count, $0) } : nil
        }.first
        guard let (count, colour) = found else { return nil }
        words.removeLast(count)
        if let last = words.last, ["to", "auf", "in"].contains(last) { words.removeLast() }
        let isGerman = words.first.map(SpokenColour.german.contains) ?? false
        if isGerman || words.first.map(SpokenColour.english.contains) ?? false { words.removeFirst() }
        // "Change the colour of the lamp to red".
        let whose = [["the", "colour", "of"], ["the", "color", "of"], ["die", "farbe", "von"]]
        if let of = whose.first(where: words.starts) { words.removeFirst(of.count) }
        guard !words.isEmpty else { return nil }
        self.colour = colour
        let things = words.joined(separator: " ")
        order = isGerman ? "schalte \(things) an" : "turn \(things) on"
    }

    /// The orders that switch on what has this colour, and set it so.
    package func orders(
        _ understood: UnderstoodOrders, of devices: [ControlledDevice], _ units: StateUnits
    ) throws(SettingError) -> [Order] {
        let ids = understood.orders.map(\.device)
        let meant = devices.filter { ids.contains($0.id) }
        var orders: [Order] = []
        for device in meant {
            let said = SaidSetting.colour(colour)
            guard let activator = try? said.activator(of: device, units) else {
                // Of several lamps those are meant that have colours.
                if meant.count == 1 { throw .noColour(colour.english, device: device.name) }
                continue
            }
            orders += understood.orders.filter { $0.device == device.id && $0.before != $0.state }
            orders.append(try Order(device, activator, to: .level(colour.level)))
        }
        guard !orders.isEmpty else { throw .noColour(colour.english, device: meant.first?.name ?? "") }
        return orders
    }
}
