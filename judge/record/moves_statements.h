/* Private to store*.c and moves.c: the SQL about what results changed on their boards. A
 * row of MOVE_STATEMENTS is a statement of the store as those of STATEMENTS are. */
#ifndef RECORD_MOVES_STATEMENTS_H
#define RECORD_MOVES_STATEMENTS_H

#define MOVE_STATEMENTS(X)                                                               \
    X(ADD_MOVE,                                                                          \
      "INSERT INTO moves (submission_id, made_ms, problem, board, meaning, improved,"    \
      " sure, best_id, best_ns, rank_before, rank, entries, passed)"                     \
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, nullif(?8, 0), nullif(?9, 0.0),"             \
      " nullif(?10, 0), ?11, ?12, ?13)")                                                 \
    X(ADD_PASSED, "INSERT INTO passed (move_id, number, submission_id, time_ns)"         \
                  " VALUES (?1, ?2, ?3, ?4)")                                            \
    X(MOVE, "SELECT improved, sure, best_id, best_ns, rank_before, rank, entries,"       \
            " passed FROM moves WHERE submission_id = ?1")                               \
    X(DROP_PASSED, "DELETE FROM passed WHERE move_id ="                                  \
                   " (SELECT id FROM moves WHERE submission_id = ?1)")                   \
    X(DROP_MOVE, "DELETE FROM moves WHERE submission_id = ?1")

#endif
