/// One word of a sentence, and what it is to the grammar of a language.
package struct SpokenWord: Equatable, Sendable {
    /// In the form of `SpokenText.tokens`.
    let text: String
    /// Nothing if it is part of an appliance's full name: it is not read as grammar.
    let roles: SpokenRoles
    let isName: Bool

    /// A word that has these roles in the language of its sentence.
    init(_ text: String, _ roles: SpokenRoles) { (self.text, isName, self.roles) = (text, false, roles) }

    /// A word of a name.
    init(name text: String) { (self.text, isName, roles) = (text, true, []) }

    /// True if it has one of these roles.
    func isOne(of roles: SpokenRoles) -> Bool { !self.roles.isDisjoint(with: roles) }

    /// True if an order begins with it.
    var isVerb: Bool { isOne(of: .verb) }
}

extension ArraySlice<SpokenWord> {
    /// The words without articles at the beginning.
    var withoutArticles: ArraySlice<SpokenWord> { drop { $0.isOne(of: .article) } }
}
