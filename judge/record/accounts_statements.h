/* Private to store*.c and accounts*.c: the SQL about accounts, tokens and invitations. A
 * row of ACCOUNT_STATEMENTS is a statement of the store as those of STATEMENTS are. What
 * is graded in bulk counts for no quota; its profiles are PROFILE_GRADE, 3, and above. */
#ifndef RECORD_ACCOUNTS_STATEMENTS_H
#define RECORD_ACCOUNTS_STATEMENTS_H

#define SELECT_ACCOUNTS                                                                  \
    "SELECT u.id, u.name, u.role, u.state, u.created_ms, u.deleted_ms, u.display_name"
#define ACCOUNT_COLUMN_COUNT 7
#define SELECT_TOKENS                                                                    \
    "t.id, t.user_id, t.parent_id, t.scopes, t.label, t.created_ms, t.expires_ms,"       \
    " t.used_ms, t.revoked_ms, t.worker_roles"

#define SELECT_SESSIONS "n.id, n.user_id, n.label, n.created_ms, n.used_ms, n.expires_ms"

/* Those behind the name ?1, by name, which are like the pattern ?2. */
#define ACCOUNTS_BEHIND                                                                  \
    " WHERE u.name COLLATE NOCASE >= ?1 AND (u.name COLLATE NOCASE > ?1 OR u.name > ?1)" \
    " AND u.deleted_ms = 0 AND u.name LIKE ?2 ESCAPE '!'"                                \
    " ORDER BY u.name COLLATE NOCASE, u.name"

#define ACCOUNT_STATEMENTS(X)                                                            \
    X(ACCOUNT, SELECT_ACCOUNTS                                                           \
      " FROM users u WHERE (u.name = ?1 COLLATE NOCASE AND u.state <> 'unclaimed')"      \
      " OR (u.name = ?1 AND u.state = 'unclaimed')"                                      \
      " ORDER BY u.state = 'unclaimed' LIMIT 1")                                         \
    X(UNCLAIMED,                                                                         \
      SELECT_ACCOUNTS " FROM users u WHERE u.name = ?1 AND u.state = 'unclaimed'")       \
    X(NAMESAKE, /* the account, else the same to the letter, else by case only */        \
      SELECT_ACCOUNTS " FROM users u WHERE u.name = ?1 COLLATE NOCASE"                   \
                      " ORDER BY u.state = 'unclaimed', u.name <> ?1, u.id LIMIT 1")     \
    X(ACCOUNT_BY_ID, SELECT_ACCOUNTS " FROM users u WHERE u.id = ?1")                    \
    X(ACCOUNTS,                                                                          \
      SELECT_ACCOUNTS ", coalesce((SELECT c.count FROM submission_counts c"              \
                      " WHERE c.user_id = u.id), 0),"                                    \
                      " max(coalesce((SELECT max(used_ms) FROM tokens t"                 \
                      " WHERE t.user_id = u.id), 0), coalesce((SELECT max(used_ms)"      \
                      " FROM sessions n WHERE n.user_id = u.id), 0),"                    \
                      " coalesce((SELECT created_ms FROM submissions s"                  \
                      " WHERE s.user_id = u.id ORDER BY id DESC LIMIT 1), 0))"           \
                      " FROM users u" ACCOUNTS_BEHIND " LIMIT ?3")                       \
    X(ACCOUNTS_END,                                                                      \
      "SELECT u.name FROM users u" ACCOUNTS_BEHIND " LIMIT 2 OFFSET ?3 - 1")             \
    X(HAS_ACCOUNT, "SELECT EXISTS (SELECT 1 FROM users WHERE state = 'active' AND"       \
                   " (?1 = 'member' OR role = ?1 OR role = 'admin'))")                   \
    X(HAS_SOLVED, "SELECT EXISTS (SELECT 1 FROM submissions s WHERE s.user_id ="         \
                  " (SELECT id FROM users WHERE name = ?1) AND s.problem = ?2"           \
                  " AND s.verdict = 'accepted' AND s.sample_only = 0)")                  \
    X(RECENT, /* a row that is graded in bulk must not take the place of another */      \
      "WITH p (id) AS (SELECT l.id FROM listed l INDEXED BY listed_by_user"              \
      " WHERE l.user_id = (SELECT id FROM users WHERE name = ?1)"                        \
      " UNION ALL SELECT s.id FROM submissions s INDEXED BY submissions_by_user"         \
      " WHERE s.user_id = (SELECT id FROM users WHERE name = ?1)"                        \
      " AND s.id <= (SELECT id FROM listed_since) AND s.profile < 3"                     \
      " ORDER BY 1 DESC LIMIT ?2)"                                                       \
      " SELECT count(*), coalesce(min(s.created_ms), 0) FROM p"                          \
      " CROSS JOIN submissions s ON s.id = p.id WHERE s.created_ms > ?3")                \
    X(DEVICE_USE, /* the newest first; the partial index answers it alone */             \
      "SELECT finished_ms, device_ms FROM submissions"                                   \
      " INDEXED BY submissions_people_by_use WHERE user_id ="                            \
      " (SELECT id FROM users WHERE name = ?1) AND device_ms > 0 AND profile < 3"        \
      " AND finished_ms > ?2 ORDER BY finished_ms DESC")                                 \
    X(NEW_ACCOUNT, "INSERT INTO users (name, created_ms, role, state)"                   \
                   " VALUES (?1, ?2, ?3, 'active')")                                     \
    X(CLAIM, "UPDATE users SET role = ?2, state = 'active' WHERE id = ?1")               \
    X(SET_ROLE, "UPDATE users SET role = ?2 WHERE id = ?1")                              \
    X(SET_DISPLAY_NAME, "UPDATE users SET display_name = ?2 WHERE id = ?1")              \
    X(SET_STATE, "UPDATE users SET state = ?2 WHERE id = ?1")                            \
    X(ASSIGN_WORSE, /* entries of `to` that one of `from` beats */                       \
      "DELETE FROM entries WHERE user_id = ?2 AND EXISTS (SELECT 1 FROM entries o"       \
      " WHERE o.user_id = ?1 AND o.problem = entries.problem"                            \
      " AND o.board = entries.board AND o.meaning = entries.meaning"                     \
      " AND (o.time_ns, o.submission_id)"                                                \
      " < (entries.time_ns, entries.submission_id))")                                    \
    X(ASSIGN_BEATEN, /* entries of `from` where `to` still has one */                    \
      "DELETE FROM entries WHERE user_id = ?1 AND EXISTS (SELECT 1 FROM entries o"       \
      " WHERE o.user_id = ?2 AND o.problem = entries.problem"                            \
      " AND o.board = entries.board AND o.meaning = entries.meaning)")                   \
    X(ASSIGN_ENTRIES, "UPDATE entries SET user_id = ?2 WHERE user_id = ?1")              \
    X(ASSIGN_SUBMISSIONS, "UPDATE submissions SET user_id = ?2 WHERE user_id = ?1")      \
    X(ASSIGN_DROP, "DELETE FROM users WHERE id = ?1 AND state = 'unclaimed'")            \
    X(INVITATIONS, "SELECT role, created_ms, expires_ms, used_ms FROM invitations"       \
                   " WHERE name = ?1 COLLATE NOCASE ORDER BY id")                        \
    X(LAST_ADMIN, "SELECT EXISTS (SELECT 1 FROM users WHERE id = ?1 AND role = 'admin'"  \
                  " AND state = 'active') AND NOT EXISTS (SELECT 1 FROM users"           \
                  " WHERE id <> ?1 AND role = 'admin' AND state = 'active')")            \
    X(DELETE_TOKENS, "DELETE FROM tokens WHERE user_id = ?1")                            \
    X(DELETE_INVITATIONS, "DELETE FROM invitations WHERE name = ?1 COLLATE NOCASE")      \
    X(DELETE_ACCOUNT, "UPDATE users SET name = ?2, display_name = '', role = 'member',"  \
                      " state = 'closed', deleted_ms = ?3, purged_to = 0 WHERE id = ?1") \
    X(DELETED_PENDING, /* CROSS JOIN, so that it begins with what is not done */         \
      "SELECT s.id FROM submissions s CROSS JOIN users u ON u.id = s.user_id"            \
      " WHERE s.done = 0 AND u.purged_to IS NOT NULL LIMIT 1")                           \
    X(PURGING, "SELECT id, purged_to FROM users WHERE purged_to IS NOT NULL"             \
               " ORDER BY id LIMIT 1")                                                   \
    X(TO_PURGE, "SELECT id, source FROM submissions WHERE user_id = ?1 AND id > ?2"      \
                " ORDER BY id LIMIT ?3")                                                 \
    X(PURGED_TO, "UPDATE users SET purged_to = ?2 WHERE id = ?1")                        \
    X(PURGED, "UPDATE users SET purged_to = NULL WHERE id = ?1")                         \
    X(PURGE_SUBMISSION,                                                                  \
      "UPDATE submissions SET source = ?2, filename = 'deleted.cu',"                     \
      " message = '', counters = NULL, notices = NULL,"                                  \
      " findings = NULL, source_digest = NULL, source_size = 0,"                         \
      " ptx_digest = NULL, ptx_size = 0, own_case = NULL WHERE id = ?1")                 \
    X(PURGE_ARRAYS, "DELETE FROM own_arrays WHERE submission_id = ?1")                   \
    X(PURGE_KEY, "DELETE FROM submission_keys WHERE submission_id = ?1")                 \
    X(PURGE_TESTS, "UPDATE tests SET detail = NULL WHERE submission_id = ?1"             \
                   " AND detail IS NOT NULL")                                            \
    X(PURGE_PAST, "UPDATE past_results SET message = '' WHERE submission_id = ?1")       \
    X(PURGE_SOURCE, "DELETE FROM sources WHERE sha256 = ?1 AND sha256 <> ?2"             \
                    " AND NOT EXISTS (SELECT 1 FROM submissions WHERE source = ?1)")     \
    X(PASSWORD, "SELECT hash FROM passwords WHERE user_id = ?1")                         \
    X(SET_PASSWORD, "INSERT INTO passwords (user_id, hash, set_ms) VALUES (?1, ?2, ?3)"  \
                    " ON CONFLICT (user_id) DO UPDATE SET hash = ?2, set_ms = ?3")       \
    X(DELETE_PASSWORD, "DELETE FROM passwords WHERE user_id = ?1")                       \
    X(ADD_SESSION, "INSERT INTO sessions (user_id, hash, label, created_ms, used_ms,"    \
                   " expires_ms) VALUES (?1, ?2, ?3, ?4, ?4, ?5)")                       \
    X(SESSION, SELECT_ACCOUNTS ", " SELECT_SESSIONS " FROM sessions n JOIN users u"      \
                               " ON u.id = n.user_id WHERE n.hash = ?1"                  \
                               " AND n.expires_ms > ?2 AND n.used_ms > ?3")              \
    X(SESSIONS, "SELECT " SELECT_SESSIONS " FROM sessions n WHERE n.user_id = ?1"        \
                " AND n.expires_ms > ?2 AND n.used_ms > ?3 ORDER BY n.id")               \
    X(SESSION_USED, "UPDATE sessions SET used_ms = ?2 WHERE id = ?1")                    \
    X(END_SESSION, "DELETE FROM sessions WHERE user_id = ?1 AND (id = ?2 OR ?2 = 0)")    \
    X(END_OTHERS, "DELETE FROM sessions WHERE user_id = ?1 AND id <> ?2")                \
    X(END_OLD, "DELETE FROM sessions WHERE user_id = ?1"                                 \
               " AND (expires_ms <= ?2 OR used_ms <= ?3)")                               \
    X(END_BEYOND,                                                                        \
      "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions"                        \
      " WHERE user_id = ?1 ORDER BY used_ms DESC, id DESC LIMIT -1 OFFSET ?2)")          \
    X(ADD_RESET, "INSERT INTO resets (user_id, hash, expires_ms) VALUES (?1, ?2, ?3)"    \
                 " ON CONFLICT (user_id) DO UPDATE SET hash = ?2, expires_ms = ?3")      \
    X(RESET, SELECT_ACCOUNTS " FROM resets o JOIN users u ON u.id = o.user_id"           \
                             " WHERE o.hash = ?1 AND o.expires_ms > ?2"                  \
                             " AND u.state = 'active'")                                  \
    X(OWN_QUOTAS, "SELECT per_hour, in_flight, device_s_day FROM own_quotas"             \
                  " WHERE user_id = (SELECT id FROM users WHERE name = ?1)")             \
    X(SET_OWN_QUOTAS, "INSERT OR REPLACE INTO own_quotas VALUES"                         \
                      " (?1, CASE WHEN ?2 >= 0 THEN ?2 END,"                             \
                      " CASE WHEN ?3 >= 0 THEN ?3 END, CASE WHEN ?4 >= 0 THEN ?4 END)")  \
    X(DELETE_OWN_QUOTAS, "DELETE FROM own_quotas WHERE user_id = ?1")                    \
    X(DELETE_RESET, "DELETE FROM resets WHERE user_id = ?1")                             \
    X(ADD_TOKEN,                                                                         \
      "INSERT INTO tokens (user_id, parent_id, hash, label, scopes, created_ms,"         \
      " expires_ms, worker_roles) VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, ?6, ?7, ?8)")   \
    X(TOKEN, SELECT_ACCOUNTS ", " SELECT_TOKENS " FROM tokens t JOIN users u"            \
                             " ON u.id = t.user_id WHERE t.hash = ?1")                   \
    X(TOKEN_OF_ID, SELECT_ACCOUNTS ", " SELECT_TOKENS " FROM tokens t JOIN users u"      \
                                   " ON u.id = t.user_id WHERE t.id = ?1")               \
    X(TOKENS, "SELECT " SELECT_TOKENS " FROM tokens t WHERE t.user_id = ?1"              \
              " AND t.revoked_ms = 0 ORDER BY t.id")                                     \
    X(REVOKE_TOKEN, /* with those that were made with it, and with these */              \
      "WITH RECURSIVE gone (id) AS (SELECT id FROM tokens WHERE id = ?2 AND"             \
      " user_id = ?1 UNION SELECT t.id FROM tokens t JOIN gone ON"                       \
      " t.parent_id = gone.id)"                                                          \
      " UPDATE tokens SET revoked_ms = ?3 WHERE id IN gone AND revoked_ms = 0")          \
    X(TOKEN_USED, "UPDATE tokens SET used_ms = ?2 WHERE id = ?1")                        \
    X(INVITE, "INSERT INTO invitations (hash, name, role, created_ms, expires_ms)"       \
              " VALUES (?1, ?2, ?3, ?4, ?5)")                                            \
    X(WITHDRAW, "UPDATE invitations SET used_ms = ?2 WHERE role = ?1 AND used_ms = 0")   \
    X(INVITATION,                                                                        \
      "SELECT name, role, group_id FROM invitations WHERE hash = ?1 AND used_ms = 0"     \
      " AND (expires_ms = 0 OR expires_ms > ?2)")                                        \
    X(USE_INVITATION, "UPDATE invitations SET used_ms = ?2 WHERE hash = ?1")

#endif
