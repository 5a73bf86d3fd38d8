// Fingerprints are part of this library's interface; who imports it needs no second import.
@_exported public import Identity
