/// What a paired device may do, as the key `role` in the hub's keyfile says.
///
///     role = "owner" / "member" / "guest"
///
/// A device without the key is a member. Any other word is a fault that lets the device in nowhere: a word of
/// a newer version, or a slip of the pen, must not give more than was meant. Case and white space count:
/// `Guest` is such a word.
public enum Role: String, Equatable, Sendable, CaseIterable {
    /// May do everything, the hub's administration included.
    case owner
    /// May do everything with the server behind the hub.
    case member
    /// May look, and switch what is there.
    case guest

    /// The role that a file's word stands for: nil, where there is no word, is a member.
    ///
    /// - Returns: nil for a word that is no role.
    public init?(word: String?) {
        guard let word else {
            self = .member
            return
        }
        guard let role = Role(rawValue: word) else { return nil }
        self = role
    }

    /// The word in the keyfile of a device that has used a code.
    ///
    /// A code that says nothing leaves the role of a device as it is. But it makes no owner of a device that
    /// has no access, or not any more: otherwise an ordinary code would make an owner's phone that was
    /// revoked an owner again.
    ///
    /// - Parameters:
    ///   - ticket: the word in the code's record.
    ///   - known: the word in the device's.
    ///   - hasAccess: true if the device is let in already.
    static func word(by ticket: String?, of known: String?, hasAccess: Bool) -> String? {
        if let ticket { return ticket }
        return known == Role.owner.rawValue && !hasAccess ? nil : known
    }
}
