// Sources of attempts, pins, fingerprints and names are part of this library's interface: its users need no
// second import.
@_exported public import Addresses
@_exported public import Identity
