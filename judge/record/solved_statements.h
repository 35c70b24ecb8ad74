/* Private to store*.c and solved.c: the SQL about what a user has solved. A row of
 * SOLVED_STATEMENTS is a statement of the store as those of STATEMENTS are. */
#ifndef RECORD_SOLVED_STATEMENTS_H
#define RECORD_SOLVED_STATEMENTS_H

/* The words of the partial index submissions_accepted. */
#define OF_ACCEPTED                                                                      \
    " FROM submissions WHERE user_id = ?1 AND verdict = 'accepted' AND sample_only = 0"

/* The order asked for would lead SQLite to all entries of the problem, without the index
 * named. */
#define SOLVED_STATEMENTS(X)                                                             \
    X(HAS_ENTRY, "SELECT EXISTS (SELECT 1 FROM entries WHERE user_id = ?1)")             \
    X(SOLVED, "SELECT e.board, e.meaning, e.submission_id, e.time_ns, s.low_ns,"         \
              " s.high_ns, s.created_ms FROM entries e INDEXED BY entries_by_user"       \
              " JOIN submissions s ON s.id = e.submission_id"                            \
              " WHERE e.user_id = ?1 AND e.problem = ?2 ORDER BY e.board, e.meaning")    \
    X(HAS_TRIED, /* of before the table `listed`, or since (store_statements.h) */       \
      "SELECT EXISTS (SELECT 1 FROM listed WHERE user_id = ?1 AND problem = ?2)"         \
      " OR EXISTS (SELECT 1 FROM submissions INDEXED BY submissions_by_user_problem"     \
      " WHERE user_id = ?1 AND problem = ?2 AND id <= (SELECT id FROM listed_since)"     \
      " AND profile < 3)")                                                               \
    X(ACCEPTED_BETWEEN, "SELECT count(*) FROM (SELECT 1" OF_ACCEPTED                     \
                        " AND created_ms >= ?2 AND created_ms < ?3 LIMIT ?4)")           \
    X(ACCEPTED_BEFORE, "SELECT coalesce((SELECT created_ms" OF_ACCEPTED                  \
                       " AND created_ms < ?2 ORDER BY created_ms DESC LIMIT 1), 0)")

#endif
