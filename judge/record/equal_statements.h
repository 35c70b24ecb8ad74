/* Private to store*.c: the SQL about equal work. A row of EQUAL_STATEMENTS is a statement
 * of the store as those of STATEMENTS are. */
#ifndef RECORD_EQUAL_STATEMENTS_H
#define RECORD_EQUAL_STATEMENTS_H

/* What is graded in bulk is no work of who grades it, and has no digest. An old row
 * may have one. The number is PROFILE_GRADE. */
#define IS_WORK " profile < 3"

/* The first submission with a digest of the user who comes next behind ?3. Its rows are
 * in the order of the index, so that one step is one look into it. */
#define EQUAL_NEXT(column)                                                               \
    "SELECT s.user_id, s.id, s.created_ms, s.source_digest, u.name, u.display_name"      \
    " FROM submissions s CROSS JOIN users u ON u.id = s.user_id"                         \
    " WHERE s.problem = ?1 AND s." column " = ?2 AND s.user_id > ?3 AND" IS_WORK         \
    " ORDER BY s.user_id, s.id LIMIT 1"

#define EQUAL_IS_SHARED(column)                                                          \
    "SELECT EXISTS (SELECT 1 FROM submissions WHERE problem = ?1 AND " column            \
    " = ?2 AND user_id < ?3 AND" IS_WORK ") OR EXISTS (SELECT 1 FROM submissions"        \
    " WHERE problem = ?1 AND " column " = ?2 AND user_id > ?3 AND" IS_WORK ")"

/* Has no submission but ?1 the digest of a row of equal_work? */
#define EQUAL_IS_GONE(column)                                                            \
    " NOT EXISTS (SELECT 1 FROM submissions s WHERE s.problem = equal_work.problem"      \
    " AND s." column " = equal_work.digest AND s.id <> ?1)"

#define EQUAL_STATEMENTS(X)                                                              \
    X(SET_DIGESTS, "UPDATE submissions SET source_digest = ?2, source_size = ?3,"        \
                   " ptx_digest = ?4, ptx_size = ?5 WHERE id = ?1 AND" IS_WORK)          \
    X(DIGESTS, "SELECT problem, source_digest, source_size, ptx_digest, ptx_size,"       \
               " user_id FROM submissions WHERE id = ?1")                                \
    X(EQUAL_SOURCE_SHARED, EQUAL_IS_SHARED("source_digest"))                             \
    X(EQUAL_PTX_SHARED, EQUAL_IS_SHARED("ptx_digest"))                                   \
    X(EQUAL_SOURCE_NEXT, EQUAL_NEXT("source_digest"))                                    \
    X(EQUAL_PTX_NEXT, EQUAL_NEXT("ptx_digest"))                                          \
    X(EQUAL_ADD, "INSERT INTO equal_work (problem, kind, digest, size)"                  \
                 " VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING")                      \
    X(PURGE_EQUAL,                                                                       \
      "DELETE FROM equal_work WHERE problem ="                                           \
      " (SELECT problem FROM submissions WHERE id = ?1) AND digest IN"                   \
      " (SELECT source_digest FROM submissions WHERE id = ?1 UNION ALL"                  \
      " SELECT ptx_digest FROM submissions WHERE id = ?1)"                               \
      " AND" EQUAL_IS_GONE("source_digest") " AND" EQUAL_IS_GONE("ptx_digest"))          \
    X(EQUAL_BEFORE, "SELECT id, problem, kind, digest, size FROM equal_work"             \
                    " WHERE id < ?1 ORDER BY id DESC LIMIT 1")                           \
    X(EQUAL_BEFORE_OF, "SELECT id, problem, kind, digest, size FROM equal_work"          \
                       " WHERE id < ?1 AND problem = ?2 ORDER BY id DESC LIMIT 1")       \
    X(EQUAL_END, "SELECT id FROM equal_work WHERE id < ?1 ORDER BY id DESC"              \
                 " LIMIT 2 OFFSET ?2 - 1")                                               \
    X(EQUAL_END_OF, "SELECT id FROM equal_work WHERE id < ?1 AND problem = ?3"           \
                    " ORDER BY id DESC LIMIT 2 OFFSET ?2 - 1")                           \
    X(EQUAL_AFTER, /* the unique index has all of it */                                  \
      "SELECT id, problem, kind, digest FROM equal_work"                                 \
      " WHERE (problem, digest, kind) > (?1, ?2, ?3)"                                    \
      " ORDER BY problem, digest, kind LIMIT ?4")                                        \
    X(EQUAL_ROW, "SELECT id, problem, kind, digest, size FROM equal_work WHERE id = ?1")

#endif
