struct Queue<Element> {
    private var elements: [Element] = []
    private var head = 0

    var isEmpty: Bool { head == elements.count }
    var count: Int { elements.count - head }
    var all: ArraySlice<Element> { elements[head...] }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func next() -> Element? {
        guard head < elements.count else {
            (elements, head) = ([], 0)
            return nil
        }
        if head > 1_024, head > elements.count / 2 {
            elements.removeFirst(head)
            head = 0
        }
        defer { head += 1 }
        return elements[head]
    }
}

extension Queue: Sendable where Element: Sendable {}

/// Keys in the order in which they came, for tables whose oldest entry gives way to a new one.
struct Seniority<Key: Hashable> {
    private(set) var keys: Set<Key> = []
    private var order = Queue<Key>()

    var count: Int { keys.count }

    /// What it holds, with the places of keys that are gone: at most twice the keys, and some.
    var entryCount: Int { keys.count + order.count }

    mutating func insert(_ key: Key) {
        guard keys.insert(key).inserted else { return }
        order.append(key)
        guard order.count > 2 * keys.count + 32 else { return }
        let old = order
        order = Queue()
        var kept: Set<Key> = []
        for key in old.all where keys.contains(key) && kept.insert(key).inserted { order.append(key) }
    }

    /// The oldest gives way if there are more.
    mutating func insert(_ key: Key, atMost maximum: Int) {
        insert(key)
        if keys.count > maximum { _ = removeOldest() }
    }

    mutating func remove(_ key: Key) -> Bool { keys.remove(key) != nil }

    mutating func removeOldest() -> Key? {
        while let key = order.next() {
            if keys.remove(key) != nil { return key }
        }
        return nil
    }
}

extension Seniority: Sendable where Key: Sendable {}
