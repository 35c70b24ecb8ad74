/* The steps that bring a database from one version of the schema to the next. */
#include "record/store_schema.h"

#include "record/store.h"

static const char *const MIGRATIONS[] = {
    /* 0 -> 1: users, their submissions with results, and the entries of the boards. */
    "CREATE TABLE users ("
    "  id INTEGER PRIMARY KEY,"
    "  name TEXT NOT NULL UNIQUE,"
    "  created_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE sources ("
    "  sha256 TEXT PRIMARY KEY,"
    "  text TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE submissions ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  problem TEXT NOT NULL,"
    "  device TEXT NOT NULL,"
    "  board TEXT NOT NULL,"
    "  filename TEXT NOT NULL,"
    "  source TEXT NOT NULL REFERENCES sources (sha256),"
    "  sample_only INTEGER NOT NULL CHECK (sample_only IN (0, 1)),"
    "  created_ms INTEGER NOT NULL,"
    "  attempt INTEGER NOT NULL DEFAULT 1,"
    "  done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),"
    "  verdict TEXT, message TEXT,"
    "  time_ns REAL, q1_ns REAL, q3_ns REAL, null_ns REAL,"
    "  modelled INTEGER NOT NULL DEFAULT 0, warmup INTEGER NOT NULL DEFAULT 0,"
    "  work_bytes REAL, work_flops REAL, sizes TEXT, counters TEXT,"
    "  compile_seconds REAL, compile_cached INTEGER NOT NULL DEFAULT 0,"
    "  finished_ms INTEGER,"
    "  CHECK (done = (verdict IS NOT NULL) AND done = (finished_ms IS NOT NULL))) STRICT;"
    "CREATE INDEX submissions_pending ON submissions (id) WHERE done = 0;"
    "CREATE INDEX submissions_by_user ON submissions (user_id, id);"
    "CREATE INDEX submissions_by_problem ON submissions (problem, id);"
    "CREATE TABLE tests ("
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  number INTEGER NOT NULL,"
    "  verdict TEXT NOT NULL, sizes TEXT NOT NULL, detail TEXT,"
    "  PRIMARY KEY (submission_id, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE samples ("
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  number INTEGER NOT NULL,"
    "  time_ns REAL NOT NULL,"
    "  PRIMARY KEY (submission_id, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE entries ("
    "  problem TEXT NOT NULL, board TEXT NOT NULL,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  submission_id INTEGER NOT NULL UNIQUE REFERENCES submissions (id),"
    "  time_ns REAL NOT NULL CHECK (time_ns > 0),"
    "  PRIMARY KEY (problem, board, user_id)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX entries_by_time ON entries (problem, board, time_ns);"
    "CREATE INDEX entries_by_board ON entries (board);",

    /* 1 -> 2: what the checks of the emulated GPU noticed. */
    "ALTER TABLE submissions ADD COLUMN notices TEXT;",

    /* 2 -> 3: the interval of a time, and its roofline. Times of before have no interval,
     * and get a point. */
    "ALTER TABLE submissions ADD COLUMN low_ns REAL;"
    "ALTER TABLE submissions ADD COLUMN high_ns REAL;"
    "UPDATE submissions SET low_ns = time_ns, high_ns = time_ns;"
    "ALTER TABLE submissions ADD COLUMN limit_ns REAL;"
    "ALTER TABLE submissions ADD COLUMN limit_by TEXT;"
    "ALTER TABLE submissions ADD COLUMN review INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE submissions ADD COLUMN remark TEXT;"
    "ALTER TABLE submissions ADD COLUMN conditions TEXT;",

    /* 3 -> 4: whether it was judged without a sandbox, which is not known of older ones.
     */
    "ALTER TABLE submissions ADD COLUMN insecure INTEGER NOT NULL DEFAULT 0;",

    /* 4 -> 5: the seed of its inputs, which is not known of older ones. */
    "ALTER TABLE submissions ADD COLUMN seed TEXT;",

    /* 5 -> 6: accounts, tokens and invitations (accounts.h). Names of before are
     * unclaimed. The order of scopes' bits is in accounts.h. */
    "ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT 'member'"
    "  CHECK (role IN ('member', 'staff', 'admin'));"
    "ALTER TABLE users ADD COLUMN state TEXT NOT NULL DEFAULT 'unclaimed'"
    "  CHECK (state IN ('unclaimed', 'active', 'closed'));"
    "CREATE INDEX users_by_name ON users (name COLLATE NOCASE);"
    "CREATE UNIQUE INDEX users_claimed ON users (name COLLATE NOCASE)"
    "  WHERE state <> 'unclaimed';"
    "CREATE TABLE tokens ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  parent_id INTEGER REFERENCES tokens (id),"
    "  hash TEXT NOT NULL UNIQUE,"
    "  label TEXT NOT NULL,"
    "  scopes INTEGER NOT NULL,"
    "  created_ms INTEGER NOT NULL,"
    "  expires_ms INTEGER NOT NULL,"
    "  used_ms INTEGER NOT NULL DEFAULT 0,"
    "  revoked_ms INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE INDEX tokens_by_user ON tokens (user_id, id);"
    "CREATE INDEX tokens_by_parent ON tokens (parent_id);"
    "CREATE TABLE invitations ("
    "  id INTEGER PRIMARY KEY,"
    "  hash TEXT NOT NULL UNIQUE,"
    "  name TEXT,"
    "  role TEXT NOT NULL CHECK (role IN ('member', 'staff', 'admin')),"
    "  created_ms INTEGER NOT NULL,"
    "  expires_ms INTEGER NOT NULL,"
    "  used_ms INTEGER NOT NULL DEFAULT 0) STRICT;",

    /* 6 -> 7: a user's submissions to one problem are found without the others. */
    "CREATE INDEX IF NOT EXISTS submissions_by_user_problem"
    " ON submissions (user_id, problem, id);",

    /* 7 -> 8: how long a judgement had its device, names to show, and deleted accounts
     * (accounts.h). What was judged before counts as no use. The index of sources tells
     * who else has sent one. */
    "ALTER TABLE submissions ADD COLUMN device_ms INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX submissions_by_use ON submissions (user_id, finished_ms, device_ms)"
    "  WHERE device_ms > 0;"
    "CREATE INDEX submissions_by_source ON submissions (source);"
    "ALTER TABLE users ADD COLUMN display_name TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE users ADD COLUMN deleted_ms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE users ADD COLUMN purged_to INTEGER;"
    "CREATE INDEX users_to_purge ON users (id) WHERE purged_to IS NOT NULL;",

    /* 8 -> 9: what a profile finds out (enum profile). Before there was none. */
    "ALTER TABLE submissions ADD COLUMN profile INTEGER NOT NULL DEFAULT 0;",

    /* 9 -> 10: what is wrong with a submission, as data. Of earlier ones there is none.
     */
    "ALTER TABLE submissions ADD COLUMN findings TEXT;",

    /* 10 -> 11: passwords, sessions and reset codes (sessions.h). */
    "CREATE TABLE passwords ("
    "  user_id INTEGER PRIMARY KEY REFERENCES users (id),"
    "  hash TEXT NOT NULL,"
    "  set_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE sessions ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  hash TEXT NOT NULL UNIQUE,"
    "  label TEXT NOT NULL,"
    "  created_ms INTEGER NOT NULL,"
    "  used_ms INTEGER NOT NULL,"
    "  expires_ms INTEGER NOT NULL) STRICT;"
    "CREATE INDEX sessions_by_user ON sessions (user_id, id);"
    "CREATE TABLE resets ("
    "  user_id INTEGER PRIMARY KEY REFERENCES users (id),"
    "  hash TEXT NOT NULL UNIQUE,"
    "  expires_ms INTEGER NOT NULL) STRICT;",

    /* 11 -> 12: keys under which submissions were sent (struct submission_key). */
    "CREATE TABLE submission_keys ("
    "  owner TEXT PRIMARY KEY,"
    "  body INTEGER NOT NULL,"
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  created_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX submission_keys_by_submission ON submission_keys (submission_id);",

    /* 12 -> 13: what of a problem a result belongs to (problem/meaning.h). Boards of
     * before mix what was judged before a problem changed and after: store_adopt() tells
     * them apart where the problems are at hand. */
    "ALTER TABLE submissions ADD COLUMN meaning TEXT NOT NULL DEFAULT '" MEANING_UNKNOWN
    "';"
    "UPDATE submissions SET meaning = '" MEANING_OF_BEFORE "'"
    "  WHERE verdict = 'accepted' AND sample_only = 0 AND time_ns > 0;"
    "CREATE TABLE ranked ("
    "  problem TEXT NOT NULL, board TEXT NOT NULL, meaning TEXT NOT NULL,"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  submission_id INTEGER NOT NULL UNIQUE REFERENCES submissions (id),"
    "  time_ns REAL NOT NULL CHECK (time_ns > 0),"
    "  PRIMARY KEY (problem, board, meaning, user_id)) STRICT, WITHOUT ROWID;"
    "INSERT INTO ranked SELECT problem, board, '" MEANING_OF_BEFORE "', user_id,"
    "  submission_id, time_ns FROM entries;"
    "DROP TABLE entries;"
    "ALTER TABLE ranked RENAME TO entries;"
    "CREATE INDEX entries_by_board ON entries (board);",

    /* 13 -> 14: results that others have taken the place of (replace.h). */
    "CREATE TABLE past_results ("
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  number INTEGER NOT NULL,"
    "  finished_ms INTEGER NOT NULL, replaced_ms INTEGER NOT NULL,"
    "  verdict TEXT NOT NULL, message TEXT NOT NULL,"
    "  board TEXT NOT NULL, meaning TEXT NOT NULL, sizes TEXT,"
    "  time_ns REAL, low_ns REAL, high_ns REAL, seed TEXT,"
    "  PRIMARY KEY (submission_id, number)) STRICT, WITHOUT ROWID;",

    /* 14 -> 15: how often a board was begun anew by an admin's wish. */
    "CREATE TABLE begun_boards ("
    "  problem TEXT NOT NULL, board TEXT NOT NULL,"
    "  number INTEGER NOT NULL, begun_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (problem, board)) STRICT, WITHOUT ROWID;",

    /* 15 -> 16: what results changed on their boards (moves.h), which is not known of
     * older ones. */
    "CREATE TABLE moves ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  submission_id INTEGER NOT NULL UNIQUE REFERENCES submissions (id),"
    "  made_ms INTEGER NOT NULL,"
    "  problem TEXT NOT NULL, board TEXT NOT NULL, meaning TEXT NOT NULL,"
    "  improved INTEGER NOT NULL CHECK (improved IN (0, 1)),"
    "  sure INTEGER NOT NULL CHECK (sure IN (0, 1)),"
    "  best_id INTEGER REFERENCES submissions (id), best_ns REAL,"
    "  rank_before INTEGER, rank INTEGER NOT NULL,"
    "  entries INTEGER NOT NULL, passed INTEGER NOT NULL,"
    "  CHECK ((best_id IS NULL) = (rank_before IS NULL))) STRICT;"
    "CREATE INDEX moves_improved ON moves (id) WHERE improved = 1;"
    "CREATE INDEX moves_by_problem ON moves (problem, id) WHERE improved = 1;"
    "CREATE TABLE passed ("
    "  move_id INTEGER NOT NULL REFERENCES moves (id),"
    "  number INTEGER NOT NULL,"
    "  submission_id INTEGER NOT NULL REFERENCES submissions (id),"
    "  time_ns REAL NOT NULL,"
    "  PRIMARY KEY (move_id, number)) STRICT, WITHOUT ROWID;",

    /* 16 -> 17: what a user has solved, and when, is found without the others. */
    "CREATE INDEX entries_by_user ON entries (user_id, problem);"
    "CREATE INDEX submissions_accepted ON submissions (user_id, created_ms)"
    "  WHERE verdict = 'accepted' AND sample_only = 0;",

    /* 17 -> 18: an entry has its submission's interval beside its time, so that rankings
     * are read without the submissions' rows. NULL means that it has none, and that the
     * submission is asked. */
    "ALTER TABLE entries ADD COLUMN low_ns REAL;"
    "ALTER TABLE entries ADD COLUMN high_ns REAL;"
    "UPDATE entries SET (low_ns, high_ns) = (SELECT s.low_ns, s.high_ns"
    "  FROM submissions s WHERE s.id = entries.submission_id);",

    /* 18 -> 19: the house's marks on the boards (marks.h). */
    "CREATE TABLE marks ("
    "  problem TEXT NOT NULL, board TEXT NOT NULL, meaning TEXT NOT NULL,"
    "  filename TEXT NOT NULL, sha256 TEXT NOT NULL,"
    "  time_ns REAL NOT NULL CHECK (time_ns > 0),"
    "  low_ns REAL NOT NULL, high_ns REAL NOT NULL, judged_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (problem, board, meaning, filename)) STRICT, WITHOUT ROWID;",

    /* 19 -> 20: groups, the places in them, and their codes and invitations (groups.h).
     */
    "CREATE TABLE groups ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  name TEXT NOT NULL UNIQUE,"
    "  created_ms INTEGER NOT NULL) STRICT;"
    "CREATE TABLE group_places ("
    "  group_id INTEGER NOT NULL REFERENCES groups (id),"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  teacher INTEGER NOT NULL CHECK (teacher IN (0, 1)),"
    "  joined INTEGER NOT NULL CHECK (joined IN (0, 1)),"
    "  full_name TEXT NOT NULL DEFAULT '', student_id TEXT NOT NULL DEFAULT '',"
    "  since_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (group_id, user_id)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX group_places_by_user ON group_places (user_id);"
    "CREATE TABLE group_codes ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  group_id INTEGER NOT NULL REFERENCES groups (id),"
    "  hash TEXT NOT NULL UNIQUE,"
    "  created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,"
    "  uses_left INTEGER NOT NULL CHECK (uses_left >= 0)) STRICT;"
    "CREATE INDEX group_codes_by_group ON group_codes (group_id);"
    "ALTER TABLE invitations ADD COLUMN group_id INTEGER REFERENCES groups (id);"
    "CREATE INDEX invitations_by_group ON invitations (group_id)"
    "  WHERE group_id IS NOT NULL;",

    /* 20 -> 21: assignments, and the extensions of their closing (assignments.h). */
    "CREATE TABLE assignments ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  group_id INTEGER NOT NULL REFERENCES groups (id),"
    "  name TEXT NOT NULL, zone TEXT NOT NULL,"
    "  opens_ms INTEGER NOT NULL, closes_ms INTEGER NOT NULL,"
    "  UNIQUE (group_id, name), CHECK (opens_ms < closes_ms)) STRICT;"
    "CREATE TABLE assignment_problems ("
    "  assignment_id INTEGER NOT NULL REFERENCES assignments (id),"
    "  number INTEGER NOT NULL, problem TEXT NOT NULL,"
    "  PRIMARY KEY (assignment_id, number)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE extensions ("
    "  assignment_id INTEGER NOT NULL REFERENCES assignments (id),"
    "  user_id INTEGER NOT NULL REFERENCES users (id),"
    "  until_ms INTEGER NOT NULL,"
    "  PRIMARY KEY (assignment_id, user_id)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX extensions_by_user ON extensions (user_id);",

    /* 21 -> 22: digests of submissions, and those that several people share (equal.h). Of
     * older submissions none is known. */
    "ALTER TABLE submissions ADD COLUMN source_digest TEXT;"
    "ALTER TABLE submissions ADD COLUMN source_size INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE submissions ADD COLUMN ptx_digest TEXT;"
    "ALTER TABLE submissions ADD COLUMN ptx_size INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX submissions_by_source_digest ON submissions"
    "  (problem, source_digest, user_id) WHERE source_digest IS NOT NULL;"
    "CREATE INDEX submissions_by_ptx_digest ON submissions"
    "  (problem, ptx_digest, user_id) WHERE ptx_digest IS NOT NULL;"
    "CREATE TABLE equal_work ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  problem TEXT NOT NULL,"
    "  kind INTEGER NOT NULL CHECK (kind IN (0, 1)),"
    "  digest TEXT NOT NULL, size INTEGER NOT NULL,"
    "  UNIQUE (problem, digest, kind)) STRICT;"
    "CREATE INDEX equal_work_by_problem ON equal_work (problem, id);",

    /* 22 -> 23: cases of one's own (problem/own_case.h), and the arrays of the newest of
     * those whose arrays were asked for. */
    "ALTER TABLE submissions ADD COLUMN own_case TEXT;"
    "CREATE TABLE own_arrays ("
    "  submission_id INTEGER PRIMARY KEY REFERENCES submissions (id),"
    "  text TEXT NOT NULL) STRICT;",

    /* 23 -> 24: assignments that hide their problems until they open. */
    "ALTER TABLE assignments ADD COLUMN hides INTEGER NOT NULL DEFAULT 0"
    "  CHECK (hides IN (0, 1));",

    /* 24 -> 25: what an admin tells everybody (announcements.h). */
    "CREATE TABLE announcements ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  text TEXT NOT NULL,"
    "  created_ms INTEGER NOT NULL) STRICT;",

    /* 25 -> 26: calibrations of GPUs by days (calibrations.h), from those of earlier
       results. */
    "CREATE TABLE calibrations ("
    "  gpu TEXT NOT NULL, day INTEGER NOT NULL,"
    "  board TEXT NOT NULL, device TEXT NOT NULL,"
    "  measured_ms INTEGER NOT NULL, count INTEGER NOT NULL CHECK (count > 0),"
    "  copy_total REAL NOT NULL, copy_low REAL NOT NULL, copy_high REAL NOT NULL,"
    "  read_total REAL NOT NULL, read_low REAL NOT NULL, read_high REAL NOT NULL,"
    "  fp32_total REAL NOT NULL, fp32_low REAL NOT NULL, fp32_high REAL NOT NULL,"
    "  PRIMARY KEY (gpu, day)) STRICT, WITHOUT ROWID;"
    "INSERT INTO calibrations SELECT gpu, day, max(board), max(device), "
    "max(finished_ms), count(*),"
    "  sum(copy), min(copy), max(copy), sum(read), min(read), max(read),"
    "  sum(fp32), min(fp32), max(fp32) FROM ("
    "  SELECT json_extract(s.c, '$.gpu') AS gpu,"
    "    s.finished_ms / 86400000 AS day, s.board, s.device, s.finished_ms,"
    "    json_extract(s.c, '$.' || m.key || '.copy_gbs') AS copy,"
    "    json_extract(s.c, '$.' || m.key || '.read_gbs') AS read,"
    "    json_extract(s.c, '$.' || m.key || '.fp32_tflops') AS fp32 FROM ("
    "      SELECT *, CASE WHEN json_valid(conditions) THEN conditions END AS c"
    "      FROM submissions WHERE conditions IS NOT NULL) s, json_each(s.c) m"
    "    WHERE m.key IN ('before', 'after'))"
    "  WHERE gpu <> '' AND copy > 0 AND read > 0 AND fp32 > 0 GROUP BY gpu, day;",

    /* 26 -> 27: quotas of one account alone (own_quotas.h). */
    "CREATE TABLE own_quotas ("
    "  user_id INTEGER PRIMARY KEY REFERENCES users (id),"
    "  per_hour INTEGER, in_flight INTEGER, device_s_day INTEGER) STRICT;",

    /* 27 -> 28: on which worker's node a submission was judged, and with which driver.
     * NULL is the judge's own machine, where all were judged before. */
    "ALTER TABLE submissions ADD COLUMN node TEXT;"
    "ALTER TABLE submissions ADD COLUMN driver TEXT;",

    /* 28 -> 29: on which worker's node a GPU was measured; '' is the judge's own machine,
     * and what was measured before. */
    "ALTER TABLE calibrations ADD COLUMN node TEXT NOT NULL DEFAULT '';"
    /* What is not graded in bulk (profile_is_graded()), for the lists of others: copies
     * of these columns of each submission that comes from now on, which triggers keep. An
     * index of all submissions would hold up the start of a large database for seconds.
     * Those of before were not graded in bulk, and other indexes lead to them. */
    "CREATE TABLE listed ("
    "  id INTEGER PRIMARY KEY,"
    "  user_id INTEGER NOT NULL,"
    "  problem TEXT NOT NULL) STRICT;"
    "CREATE INDEX listed_by_user ON listed (user_id, id);"
    "CREATE INDEX listed_by_problem ON listed (problem, id);"
    "CREATE INDEX listed_by_user_problem ON listed (user_id, problem, id);"
    "CREATE TABLE listed_since (id INTEGER NOT NULL) STRICT;"
    "INSERT INTO listed_since SELECT coalesce(max(id), 0) FROM submissions;"
    "CREATE TRIGGER listed_is_new AFTER INSERT ON submissions WHEN NEW.profile < 3"
    "  BEGIN INSERT INTO listed VALUES (NEW.id, NEW.user_id, NEW.problem); END;"
    "CREATE TRIGGER listed_is_assigned AFTER UPDATE OF user_id ON submissions"
    "  BEGIN UPDATE listed SET user_id = NEW.user_id WHERE id = NEW.id; END;"
    "CREATE TRIGGER listed_is_gone AFTER DELETE ON submissions"
    "  BEGIN DELETE FROM listed WHERE id = OLD.id; END;",

    /* 29 -> 30: the use of devices that counts for a quota is that of what is not graded
     * in bulk. */
    "DROP INDEX submissions_by_use;"
    "CREATE INDEX submissions_people_by_use"
    "  ON submissions (user_id, finished_ms, device_ms)"
    "  WHERE device_ms > 0 AND profile < 3;",

    /* 30 -> 31: what a token's workers may be (TOKEN_WORKS). Those of before may be both.
     */
    "ALTER TABLE tokens ADD COLUMN worker_roles INTEGER NOT NULL DEFAULT 0"
    "  CHECK (worker_roles BETWEEN 0 AND 3);"
    "UPDATE tokens SET worker_roles = 3 WHERE scopes & 16 <> 0;",

    /* 31 -> 32: what names a submission that is deleted is found without a scan, and how
     * many submissions a user has is known without counting them. Triggers keep the
     * counts. */
    "CREATE INDEX passed_by_submission ON passed (submission_id);"
    "CREATE INDEX moves_by_best ON moves (best_id) WHERE best_id IS NOT NULL;"
    "CREATE TABLE submission_counts ("
    "  user_id INTEGER PRIMARY KEY,"
    "  count INTEGER NOT NULL CHECK (count >= 0)) STRICT;"
    "INSERT INTO submission_counts"
    "  SELECT user_id, count(*) FROM submissions INDEXED BY submissions_by_user"
    "  GROUP BY user_id;"
    "CREATE TRIGGER counts_one_more AFTER INSERT ON submissions"
    "  BEGIN INSERT INTO submission_counts VALUES (NEW.user_id, 1)"
    "    ON CONFLICT (user_id) DO UPDATE SET count = count + 1; END;"
    "CREATE TRIGGER counts_one_less AFTER DELETE ON submissions"
    "  BEGIN UPDATE submission_counts SET count = count - 1"
    "    WHERE user_id = OLD.user_id; END;"
    "CREATE TRIGGER counts_one_assigned AFTER UPDATE OF user_id ON submissions"
    "  WHEN NEW.user_id <> OLD.user_id"
    "  BEGIN UPDATE submission_counts SET count = count - 1 WHERE user_id = OLD.user_id;"
    "    INSERT INTO submission_counts VALUES (NEW.user_id, 1)"
    "    ON CONFLICT (user_id) DO UPDATE SET count = count + 1; END;",
};

int
store_newest_schema(void)
{
    return (int)(sizeof MIGRATIONS / sizeof MIGRATIONS[0]);
}

const char *
store_migration(int version)
{
    return MIGRATIONS[version];
}
