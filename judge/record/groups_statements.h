/* Private to store*.c, accounts*.c and groups*.c: the SQL about groups. A row of
 * GROUP_STATEMENTS is a statement of the store as those of STATEMENTS are. */
#ifndef RECORD_GROUPS_STATEMENTS_H
#define RECORD_GROUPS_STATEMENTS_H

#define SELECT_GROUPS                                                                    \
    "SELECT g.id, g.name, g.created_ms,"                                                 \
    " (SELECT count(*) FROM group_places o WHERE o.group_id = g.id AND o.joined = 1"     \
    " AND o.teacher = 0), p.user_id IS NOT NULL, p.joined, p.teacher FROM groups g"      \
    " LEFT JOIN group_places p ON p.group_id = g.id AND p.user_id = "
#define SELECT_PLACES                                                                    \
    "SELECT p.user_id, u.name, p.full_name, p.student_id, p.teacher, p.joined,"          \
    " u.state = 'unclaimed', p.since_ms FROM group_places p"                             \
    " JOIN users u ON u.id = p.user_id WHERE p.group_id = ?1"

#define GROUP_STATEMENTS(X)                                                              \
    X(ADD_GROUP, "INSERT INTO groups (name, created_ms) VALUES (?1, ?2)"                 \
                 " ON CONFLICT DO NOTHING")                                              \
    X(GROUP, SELECT_GROUPS "?2 WHERE g.name = ?1")                                       \
    X(GROUPS, SELECT_GROUPS "?1 WHERE ?2 OR p.user_id IS NOT NULL ORDER BY g.name")      \
    X(DELETE_GROUP, "DELETE FROM groups WHERE id = ?1")                                  \
    X(DELETE_GROUP_CODES, "DELETE FROM group_codes WHERE group_id = ?1")                 \
    X(GROUP_PLACES, SELECT_PLACES " ORDER BY u.name COLLATE NOCASE, u.name")             \
    X(GROUP_PLACE, SELECT_PLACES " AND u.name = ?2 COLLATE NOCASE"                       \
                                 " ORDER BY u.name <> ?2, u.id LIMIT 1")                 \
    X(GROUP_ENTRIES,                                                                     \
      "SELECT e.problem, e.board, e.meaning, e.submission_id, e.time_ns, s.low_ns,"      \
      " s.high_ns FROM group_places g JOIN entries e ON e.user_id = g.user_id"           \
      " JOIN submissions s ON s.id = e.submission_id WHERE g.group_id = ?1"              \
      " AND g.joined = 1 AND g.teacher = 0 AND e.problem = ?2 AND e.board = ?3"          \
      " AND e.meaning = ?4")                                                             \
    X(GROUP_COUNT, "SELECT count(*), coalesce(sum(teacher AND joined), 0)"               \
                   " FROM group_places WHERE group_id = ?1")                             \
    X(PLACES_OF, "SELECT count(*), coalesce(sum(group_id = ?2), 0) FROM group_places"    \
                 " WHERE user_id = ?1")                                                  \
    X(ADD_PLACE, "INSERT INTO group_places (group_id, user_id, teacher, joined,"         \
                 " since_ms) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE"          \
                 " SET joined = 1, since_ms = ?5 WHERE joined = 0 AND ?4 = 1")           \
    X(NAME_PLACE, "UPDATE group_places SET full_name = coalesce(?3, full_name),"         \
                  " student_id = coalesce(?4, student_id)"                               \
                  " WHERE group_id = ?1 AND user_id = ?2")                               \
    X(SET_TEACHER, "UPDATE group_places SET teacher = ?3 WHERE group_id = ?1"            \
                   " AND user_id = ?2 AND joined = 1")                                   \
    X(REMOVE_PLACE, "DELETE FROM group_places WHERE group_id = ?1 AND user_id = ?2")     \
    X(LEAVE_GROUPS, "DELETE FROM group_places WHERE user_id = ?1")                       \
    X(RESERVE, "INSERT INTO users (name, created_ms) VALUES (?1, ?2)")                   \
    X(FREE_NAME, /* one that nobody has used, and no group has reserved */               \
      "DELETE FROM users WHERE id = ?1 AND state = 'unclaimed'"                          \
      " AND NOT EXISTS (SELECT 1 FROM group_places WHERE user_id = ?1)"                  \
      " AND NOT EXISTS (SELECT 1 FROM submissions WHERE user_id = ?1)")                  \
    X(HAS_SUBMITTED, "SELECT EXISTS (SELECT 1 FROM submissions WHERE user_id = ?1)")     \
    X(INVITE_TO_GROUP, "INSERT INTO invitations (hash, name, role, created_ms,"          \
                       " expires_ms, group_id) VALUES (?1, ?2, 'member', ?3, ?4, ?5)")   \
    X(WITHDRAW_OF_PLACE, "DELETE FROM invitations WHERE group_id = ?1"                   \
                         " AND name = ?2 COLLATE NOCASE AND used_ms = 0")                \
    X(FORGET_GROUP, "UPDATE invitations SET group_id = NULL WHERE group_id = ?1")        \
    X(ADD_GROUP_CODE, "INSERT INTO group_codes (group_id, hash, created_ms,"             \
                      " expires_ms, uses_left) VALUES (?1, ?2, ?3, ?4, ?5)")             \
    X(GROUP_CODES, "SELECT created_ms, expires_ms, uses_left FROM group_codes"           \
                   " WHERE group_id = ?1 AND expires_ms > ?2 AND uses_left > 0"          \
                   " ORDER BY id")                                                       \
    X(DROP_OLD_CODES, "DELETE FROM group_codes WHERE group_id = ?1"                      \
                      " AND (expires_ms <= ?2 OR uses_left = 0)")                        \
    X(GROUP_CODE, "SELECT c.group_id, g.name FROM group_codes c"                         \
                  " JOIN groups g ON g.id = c.group_id"                                  \
                  " WHERE c.hash = ?1 AND c.expires_ms > ?2 AND c.uses_left > 0")        \
    X(USE_GROUP_CODE, "UPDATE group_codes SET uses_left = uses_left - 1"                 \
                      " WHERE hash = ?1")                                                \
    X(ASSIGN_PLACES, "UPDATE OR IGNORE group_places SET user_id = ?2, joined = 0"        \
                     " WHERE user_id = ?1")                                              \
    X(ASSIGN_PLACES_REST, "DELETE FROM group_places WHERE user_id = ?1"                  \
                          " AND user_id <> ?2")

#endif
