/// What runs at the daemon for one subject: the question for the address of an instance, or what follows all
/// A and AAAA records of a host. avahi's callbacks hold a pointer to this object.
final class DaemonObject<Subject> {
    let subject: Subject
    // Unowned: the stack owns this object and outlives it.
    unowned let stack: DaemonBrowsing
    /// avahi's resolver, or its record browsers.
    var handles: [OpaquePointer] = []

    init(_ subject: Subject, stack: DaemonBrowsing) { (self.subject, self.stack) = (subject, stack) }

    var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
