// The session extension is declared with them; whether the library has it shows when it is loaded.
#define SQLITE_ENABLE_SESSION 1
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#include <sqlite3.h>

#include "../CGlibc/functions.h"

// The library is loaded when `serve` opens its database, and never linked.
HUBPAIR_LAZY(sqlite3_open_v2)
HUBPAIR_LAZY(sqlite3_close_v2)
HUBPAIR_LAZY(sqlite3_extended_result_codes)
HUBPAIR_LAZY(sqlite3_extended_errcode)
HUBPAIR_LAZY(sqlite3_errmsg)
HUBPAIR_LAZY(sqlite3_busy_timeout)
HUBPAIR_LAZY(sqlite3_prepare_v3)
HUBPAIR_LAZY(sqlite3_finalize)
HUBPAIR_LAZY(sqlite3_reset)
HUBPAIR_LAZY(sqlite3_clear_bindings)
HUBPAIR_LAZY(sqlite3_step)
HUBPAIR_LAZY(sqlite3_bind_int64)
HUBPAIR_LAZY(sqlite3_bind_text64)
HUBPAIR_LAZY(sqlite3_bind_blob64)
HUBPAIR_LAZY(sqlite3_bind_null)
HUBPAIR_LAZY(sqlite3_column_type)
HUBPAIR_LAZY(sqlite3_column_int64)
HUBPAIR_LAZY(sqlite3_column_blob)
HUBPAIR_LAZY(sqlite3_column_text)
HUBPAIR_LAZY(sqlite3_column_bytes)
HUBPAIR_LAZY(sqlite3_get_autocommit)
HUBPAIR_LAZY(sqlite3_serialize)
HUBPAIR_LAZY(sqlite3_free)
HUBPAIR_LAZY(sqlite3session_create)
HUBPAIR_LAZY(sqlite3session_delete)
HUBPAIR_LAZY(sqlite3session_attach)
HUBPAIR_LAZY(sqlite3session_changeset)
HUBPAIR_LAZY(sqlite3changeset_apply)
