/* Private to store*.c and moves.c: the SQL about what results changed on their boards. A
 * row of MOVE_STATEMENTS is a statement of the store as those of STATEMENTS are. */
#ifndef RECORD_MOVES_STATEMENTS_H
#define RECORD_MOVES_STATEMENTS_H

/* The members of struct move, in their order in the statements below. */
#define MOVE_COLUMNS                                                                     \
    "SELECT m.improved, m.sure, m.best_id, m.best_ns, m.rank_before, m.rank,"            \
    " m.entries, m.passed"
/* The newest of a list first, of those that are older than ?1. */
#define MOVES_ORDER " improved = 1 AND id < ?1 ORDER BY id DESC LIMIT ?2"

#define MOVE_STATEMENTS(X)                                                               \
    X(ADD_MOVE,                                                                          \
      "INSERT INTO moves (submission_id, made_ms, problem, board, meaning, improved,"    \
      " sure, best_id, best_ns, rank_before, rank, entries, passed)"                     \
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, 0), nullif(?9, 0.0),"             \
      " nullif(?10, 0), ?11, ?12, ?13)")                                                 \
    X(ADD_PASSED, "INSERT INTO passed (move_id, number, submission_id, time_ns)"         \
                  " VALUES (?1, ?2, ?3, ?4)")                                            \
    X(MOVE, MOVE_COLUMNS " FROM moves m WHERE m.submission_id = ?1")                     \
    X(MOVES, "SELECT id, problem, board, meaning FROM moves WHERE" MOVES_ORDER)          \
    X(MOVES_OF, "SELECT id, problem, board, meaning FROM moves"                          \
                " WHERE problem = ?3 AND" MOVES_ORDER)                                   \
    X(TOLD_MOVE, MOVE_COLUMNS                                                            \
      ", m.made_ms, m.problem, m.board, m.submission_id, s.time_ns, u.name,"             \
      " u.display_name FROM moves m JOIN submissions s ON s.id = m.submission_id"        \
      " JOIN users u ON u.id = s.user_id WHERE m.id = ?1")                               \
    X(TOLD_PASSED, /* without what is the mover's own, since an account took both over   \
                    */                                                                   \
      "SELECT p.submission_id, p.time_ns, u.name, u.display_name FROM moves m"           \
      " JOIN submissions s ON s.id = m.submission_id JOIN passed p ON p.move_id = m.id"  \
      " JOIN submissions o ON o.id = p.submission_id AND o.user_id <> s.user_id"         \
      " JOIN users u ON u.id = o.user_id WHERE m.id = ?1 ORDER BY p.number")             \
    X(DROP_PASSED, "DELETE FROM passed WHERE move_id ="                                  \
                   " (SELECT id FROM moves WHERE submission_id = ?1)")                   \
    X(DROP_MOVE, "DELETE FROM moves WHERE submission_id = ?1")

#endif
