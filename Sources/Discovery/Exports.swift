// The public interface of this library uses types of these two modules, so a user needs only one import.
@_exported public import Addresses
@_exported public import Identity
