/* Private to store*.c and grades.c: the SQL about grades. A row is a statement of the
 * store as those of STATEMENTS are. */
#ifndef RECORD_GRADES_STATEMENTS_H
#define RECORD_GRADES_STATEMENTS_H

#define GRADE_STATEMENTS(X)                                                              \
    X(GRADED, "SELECT id, created_ms, verdict, problem, board, meaning, time_ns,"        \
              " low_ns, high_ns, limit_ns, sample_only = 0 AND done = 1"                 \
              " AND verdict NOT IN ('cancelled', 'judge_error'), source_digest,"         \
              " ptx_digest FROM submissions INDEXED BY submissions_by_user"              \
              " WHERE user_id = ?1 AND id > ?3 AND created_ms <= ?2"                     \
              " ORDER BY id LIMIT ?4")                                                   \
    X(NEXT_GRADED, "SELECT id, name FROM users WHERE id > ?1 AND deleted_ms = 0"         \
                   " AND name <> ?2 AND EXISTS (SELECT 1 FROM submissions s"             \
                   " WHERE s.user_id = users.id) ORDER BY id LIMIT 1")

#endif
