import CAvahi

/// Owns one of avahi's entry groups: what is published together. The fault of one is none of the others'.
/// avahi's callbacks hold a pointer to this object.
final class EntryGroup {
    // Unowned: the stack owns this object and outlives it.
    private unowned let stack: any PublishingStack
    private let changed: (PublishingResult) -> Void
    private var group: OpaquePointer?

    /// - Parameter changed: called from within avahi's callbacks.
    init(of stack: any PublishingStack, changed: @escaping (PublishingResult) -> Void) {
        (self.stack, self.changed) = (stack, changed)
    }

    /// Fills the group anew, and hands it over; `changed` reports the result.
    ///
    /// - Parameter fill: returns avahi's error code; 0: nothing is wrong.
    func publish(_ fill: (OpaquePointer) -> Int32) {
        clear()
        if group == nil { group = stack.makeGroup(Unmanaged.passUnretained(self).toOpaque()) }
        guard let group else { return changed(.refused(stack.fault(nil))) }
        var code = fill(group)
        if code == 0 { code = stack.commit(group) }
        switch code {
        case 0: break
        case AvahiCode.collision: changed(.collision)  // with another service on this machine
        default: changed(.refused(stack.fault(code)))
        }
    }

    /// Withdraws what is in it.
    func clear() { if let group { stack.reset(group) } }

    /// Withdraws what is in it. Must be called before the stack is freed; a second call does nothing.
    func free() {
        if let group { stack.free(group) }
        group = nil
    }

    /// For avahi's callbacks, which have the object by its pointer.
    static func changed(_ pointer: UnsafeMutableRawPointer?, to state: AvahiEntryGroupState) {
        guard let this: EntryGroup = object(at: pointer) else { return }
        switch state {
        case AVAHI_ENTRY_GROUP_ESTABLISHED: this.changed(.established)
        case AVAHI_ENTRY_GROUP_COLLISION: this.changed(.collision)
        case AVAHI_ENTRY_GROUP_FAILURE: this.changed(.refused(this.stack.fault(nil)))
        default: break
        }
    }
}
