import HubService
import Identity

/// The tables of `household.sqlite`, format 1.
///
///     meta              name, value: `tag`, random, made with the file; an event's id begins with it
///     states            the last known state of each activator
///     changes           the history of states; ids rise without gaps
///     appliances        what is in the house: each as its server described it, and when it was seen
///     messages          ids rise without gaps, acknowledgements have numbers of their own that do, too
///     read_marks        ranges of ids of messages that a device has read
///     devices           the paired devices as they were last told of
///     timers            orders that wait for their time
///     preferences       what each device wants its page to be like, JSON
///     push              where browsers take messages while their page is closed, JSON
///     pictures          what a camera has seen at an alarm, by the message's id
///     hooks             the last message of each kind that the hook has got
///
/// Times are milliseconds since 1970, states JSON.
///
/// What came later stands in columns of its own, which an older file gets when it is opened, and which an
/// older hub leaves alone: the format is the same. Of a timer: `proviso`. Of a message: `author`, `quiet`;
/// `count` and `last` once what it tells has happened again; `change`, the number of its last change, be it
/// acknowledged or counted; `again`, the number of the change for which hooks are to be run once more, and
/// `again_at`, when that was.
enum HouseholdSchema {
    static let format: Int64 = 1
    /// The `application_id` of a copy in a backup: "hpbk".
    static let copyMark = HouseholdCopy.copyMark

    private static let tables = [
        "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        """
        CREATE TABLE states (device TEXT NOT NULL, activator TEXT NOT NULL, state TEXT NOT NULL, before TEXT,
        time INTEGER NOT NULL, PRIMARY KEY (device, activator)) WITHOUT ROWID
        """,
        """
        CREATE TABLE changes (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, device TEXT NOT NULL,
        activator TEXT NOT NULL, state TEXT NOT NULL, before TEXT)
        """,
        "CREATE INDEX changes_of ON changes (device, activator, id)",
        """
        CREATE TABLE messages (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, kind TEXT NOT NULL,
        text TEXT NOT NULL, rule TEXT, device TEXT, activator TEXT, state TEXT, before TEXT,
        acknowledgement INTEGER UNIQUE, acknowledged_by TEXT, acknowledged_name TEXT, acknowledged_at INTEGER)
        """,
        "CREATE INDEX messages_of ON messages (kind, id)",
        """
        CREATE INDEX open_alarms ON messages (id) WHERE kind = 'alarm' AND acknowledgement IS NULL
        """,
        """
        CREATE TABLE read_marks (device TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
        PRIMARY KEY (device, first)) WITHOUT ROWID
        """,
        """
        CREATE TABLE devices (device TEXT PRIMARY KEY, name TEXT NOT NULL, status TEXT NOT NULL) WITHOUT ROWID
        """,
        "CREATE TABLE hooks (kind TEXT PRIMARY KEY, message INTEGER NOT NULL) WITHOUT ROWID",
    ]

    private static let laterTables = [
        """
        CREATE TABLE IF NOT EXISTS appliances (place INTEGER PRIMARY KEY, description TEXT NOT NULL,
        seen INTEGER NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS timers (device TEXT NOT NULL, activator TEXT NOT NULL, state TEXT NOT NULL,
        due INTEGER NOT NULL, lasts INTEGER, author TEXT NOT NULL, name TEXT NOT NULL,
        PRIMARY KEY (device, activator)) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS preferences (device TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID
        """,
        """
        CREATE TABLE IF NOT EXISTS pictures (message INTEGER PRIMARY KEY, type TEXT NOT NULL,
        bytes BLOB NOT NULL)
        """,
        "CREATE TABLE IF NOT EXISTS push (device TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    ]
    private static let laterColumns = [
        ("author", "TEXT"), ("quiet", "INTEGER"), ("count", "INTEGER"), ("last", "INTEGER"),
        ("change", "INTEGER"), ("again", "INTEGER"), ("again_at", "INTEGER"),
    ]
    private static let columnsOfTimers = [("proviso", "TEXT")]
    private static let laterIndexes = [
        "CREATE INDEX IF NOT EXISTS changed_messages ON messages (change) WHERE change IS NOT NULL",
        "CREATE INDEX IF NOT EXISTS messages_again ON messages (again) WHERE again IS NOT NULL",
        "CREATE INDEX IF NOT EXISTS messages_of_rule ON messages (rule, kind, id) WHERE rule IS NOT NULL",
    ]

    /// Adds what came after 0.1. An older hub numbers acknowledgements alone: those of it get their number.
    private static func complete(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        for table in laterTables { try connection.run(table) }
        for (table, later) in [("messages", laterColumns), ("timers", columnsOfTimers)] {
            var columns: Set<String> = []
            try connection.run("PRAGMA table_info(\(table))") { row in columns.insert(row.text(1)) }
            for (name, type) in later where !columns.contains(name) {
                try connection.run("ALTER TABLE \(table) ADD COLUMN \(name) \(type)")
            }
        }
        for index in laterIndexes { try connection.run(index) }
        try connection.run(
            """
            UPDATE messages SET change = acknowledgement
            WHERE acknowledgement IS NOT NULL AND change IS NULL
            """)
    }

    /// Sets the connection up, checks the file, and makes the tables if it is new.
    static func prepare(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        // An append is on disk when COMMIT returns.
        try connection.run("PRAGMA journal_mode = WAL")
        try connection.run("PRAGMA synchronous = FULL")
        try connection.run("PRAGMA trusted_schema = OFF")
        try connection.run("PRAGMA cell_size_check = ON")
        try connection.run("PRAGMA cache_size = -4000")
        // After a burst the log does not keep its size.
        try connection.run("PRAGMA journal_size_limit = 4194304")
        // 1 GiB of 4 KiB pages: whatever goes wrong, the rest of the disk stays free.
        try connection.run("PRAGMA max_page_count = 262144")
        let version = try connection.number("PRAGMA user_version") ?? 0
        guard version <= format else { throw .newer }
        let words = try connection.text("PRAGMA integrity_check(1)")
        guard words == "ok" else { throw .failed(11, words ?? "the integrity check says nothing") }
        try connection.transaction { connection throws(DatabaseError) in
            if version == 0 {
                for table in tables { try connection.run(table) }
                try connection.run("INSERT INTO meta VALUES ('tag', ?)", [.text(newTag())])
                try connection.run("PRAGMA user_version = \(format)")
            }
            try complete(&connection)
        }
        if version > 0 { try renewTag(&connection) }
    }

    private static func newTag() -> String {
        String(UInt32.random(in: 0x1000_0000 ... .max), radix: 16)
    }

    /// Gives a file from a backup a tag of its own: the original may have gone on, and its ids must not be
    /// taken for those that follow here.
    private static func renewTag(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        guard try connection.number("PRAGMA application_id") == Int64(copyMark) else { return }
        try connection.transaction { connection throws(DatabaseError) in
            try connection.run("UPDATE meta SET value = ? WHERE name = 'tag'", [.text(newTag())])
            try connection.run("PRAGMA application_id = 0")
            _ = try SharedLog.leave(&connection)
        }
    }

    /// Gives a file that several gates had alike a tag of its own: the others go on.
    static func leaveSite(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        try connection.transaction { connection throws(DatabaseError) in
            guard try SharedLog.leave(&connection) else { return }
            try connection.run("UPDATE meta SET value = ? WHERE name = 'tag'", [.text(newTag())])
        }
    }

    /// The tag of the file: a new file has another one.
    static func tag(_ connection: inout SQLiteConnection) throws(DatabaseError) -> String {
        try connection.text("SELECT value FROM meta WHERE name = 'tag'") ?? ""
    }
}
