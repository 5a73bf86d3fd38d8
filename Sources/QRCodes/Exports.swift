// What an error says to a user is part of this library's interface: its users need no second import.
@_exported public import Identity
