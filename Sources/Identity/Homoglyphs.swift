/// Characters that look like a Latin letter or a digit, and are written otherwise.
///
/// From the confusables of Unicode (UTS #39, confusables.txt): those that stand for one ASCII letter or digit
/// and lie in the first plane, without those that `LookAlike` finds by their Unicode names (letters with
/// marks, fullwidth, circled, mathematical, small capitals) or by their value (the digits of all scripts).
/// Added to them: what the same table joins by way of a small capital (м is like ᴍ), and Cyrillic letters
/// with a mark whose names do not tell it (ё, й).
///
/// Left out: pairs within a script that is not Latin, Greek or Cyrillic (ー and 一, ي and ی), letters of other
/// planes (Old Italic, Deseret, Warang Citi), which hardly any font of a terminal has, and words as a whole.
enum Homoglyphs {
    /// What they look like, in lower case, and the characters.
    static let rows: [(String, String)] = [
        ("a", "ÅɑΑαάАаӐӑӒӓᎪᗅ⍺ꓮ"),
        ("b", "ƄβΒВвЬьᏏᏴᑲᖯᗷꓐꞴ"),
        ("c", "ϲϹСсҪҫᏟᴄⲤⲥꓚꮯ"),
        ("d", "ԁᎠᏧᑯᗞᗪꓒꓓ"),
        ("e", "ɛΕεέЕеЀѐЁёЄєҽӖӗᎬ℮⋿ⴹꓰꬲ"),
        ("f", "ϜքᖴẝꓝꞘꞙꬵ"),
        ("g", "ƍɡԌցᏀᏳᶃꓖ"),
        ("h", "ℎΗНнһհᎻᏂᕼⲎꓧ"),
        ("i", "ıɩɪιίϊΐІіЇїӏᎥ⍳ꙇꭵ"),
        ("j", "ͿϳЈјᎫᒍꓙꞲ"),
        ("k", "ĸΚκКкЌќҚқᏦᛕⲔꓗ"),
        ("l", "ƖǀΙӀ\u{6F1}Ꮮᒪᛁ∣⏽ⲒⳐⵏꓡꓲ￨｜"),
        ("m", "ΜϺМмᎷᗰᛖⲘꓟ"),
        ("n", "ΝηήПпոռⲚꓠ"),
        ("o", "ΟοόσΘθОоӦӧӨөՕօ\u{6F5}०੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ჿዐᴏᴑⲞⲟⵔ〇ꓳꬽ"),
        ("p", "ΡρϱРрᏢᑭ⍴Ⲣⲣꓑ"),
        ("q", "ԛգզⵕ"),
        ("r", "ƦГгЃѓᎡᏒᖇᴦⲅꓣꭇꭈꮁ"),
        ("s", "ƽЅѕՏᏕᏚꓢꜱꮪ"),
        ("t", "ΤτТтᎢ⊤⟙Ⲧꓔ"),
        ("u", "ʋυύϋΰՍսሀᑌᴜ∪⋃ꓴꞟꭎꭒ"),
        ("v", "νѴѵ\u{6F7}Ꮩᐯᴠ∨⋁ⴸꓦꛟꮩ"),
        ("w", "ɯωώШшѡԜԝաᎳᏔᴡꓪꮃ"),
        ("x", "×ΧχХхҲҳᕁᕽ᙭᙮ᚷ╳⤫⤬⨯ⲬⵝꓫꞳ"),
        ("y", "ɣʏΥγϒУуЎўҮүӮӯӰӱӲӳყᎩᎽᶌỿℽⲨꓬꭚ"),
        ("z", "ΖᏃᴢꓜꮓ"),
        ("2", "ƧϨᒿꙄꛯ"), ("3", "ƷȜЗзӞӟӠⳌꞫ"), ("4", "Ꮞ"), ("5", "Ƽ"), ("6", "бᏮⳒ"),
        ("8", "Ȣȣ৪੪ଃ"), ("9", "৭੧୨൭ⳊꝮ"), ("10", "⑩⒑⑽"),
        ("й", "и"), ("ж", "ӜӝӁӂ"), ("ч", "Ӵӵ"), ("э", "Ӭӭ"),
        // Signs for several letters.
        ("ss", "ßẞ"), ("ii", "Ⅱⅱ"), ("iii", "Ⅲⅲ"), ("iv", "Ⅳⅳ"), ("vi", "Ⅵⅵ"), ("vii", "Ⅶⅶ"),
        ("viii", "Ⅷⅷ"), ("ix", "Ⅸⅸ"), ("xi", "Ⅺⅺ"), ("xii", "Ⅻⅻ"), ("i", "Ⅰⅰ"), ("v", "Ⅴⅴ"),
        ("x", "Ⅹⅹ"), ("l", "Ⅼⅼ"), ("c", "Ⅽⅽ"), ("d", "Ⅾⅾ"), ("m", "Ⅿⅿ"), ("tm", "™"), ("no", "№"),
        ("tel", "℡"),
    ]

    static let byScalar: [Unicode.Scalar: String] = Dictionary(
        rows.flatMap { row in row.1.unicodeScalars.map { ($0, row.0) } }
    ) { first, _ in first }

    /// The same by the characters' names, so that `GREEK SMALL LETTER ALPHA WITH PSILI` is found by what
    /// stands before `WITH`.
    static let byName: [String: String] = Dictionary(
        byScalar.compactMap { scalar, look in scalar.properties.name.map { ($0, look) } }
    ) { first, _ in first }
}
