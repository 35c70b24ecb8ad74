/* Private to store*.c, accounts*.c, groups*.c and assignments.c: the SQL about
 * assignments. A row is a statement of the store as those of STATEMENTS are. */
#ifndef RECORD_ASSIGNMENTS_STATEMENTS_H
#define RECORD_ASSIGNMENTS_STATEMENTS_H

#define ASSIGNMENT_STATEMENTS(X)                                                         \
    X(ASSIGNMENTS,                                                                       \
      "SELECT a.id, a.name, a.zone, a.opens_ms, a.closes_ms,"                            \
      " coalesce(e.until_ms, 0), a.hides FROM assignments a LEFT JOIN extensions e"      \
      " ON e.assignment_id = a.id AND e.user_id = ?2"                                    \
      " WHERE a.group_id = ?1 ORDER BY a.closes_ms, a.name")                             \
    X(ASSIGNMENT_ID, "SELECT id FROM assignments WHERE group_id = ?1 AND name = ?2")     \
    X(ASSIGNMENT_COUNT, "SELECT count(*) FROM assignments WHERE group_id = ?1"           \
                        " AND name <> ?2")                                               \
    X(ASSIGNMENT_PROBLEMS, "SELECT problem FROM assignment_problems"                     \
                           " WHERE assignment_id = ?1 ORDER BY number")                  \
    X(SET_ASSIGNMENT, "INSERT INTO assignments (group_id, name, zone, opens_ms,"         \
                      " closes_ms, hides) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"               \
                      " ON CONFLICT DO UPDATE SET zone = ?3, opens_ms = ?4,"             \
                      " closes_ms = ?5, hides = ?6")                                     \
    X(ADD_PROBLEM, "INSERT INTO assignment_problems (assignment_id, number, problem)"    \
                   " VALUES (?1, ?2, ?3)")                                               \
    X(DROP_PROBLEMS, "DELETE FROM assignment_problems WHERE assignment_id = ?1")         \
    X(DROP_EXTENSIONS, "DELETE FROM extensions WHERE assignment_id = ?1")                \
    X(DROP_ASSIGNMENT, "DELETE FROM assignments WHERE id = ?1")                          \
    X(EXTEND, "INSERT INTO extensions (assignment_id, user_id, until_ms)"                \
              " VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET until_ms = ?3")            \
    X(UNEXTEND, "DELETE FROM extensions WHERE assignment_id = ?1 AND user_id = ?2")      \
    X(EXTENSIONS, "SELECT u.name, e.user_id, e.until_ms FROM extensions e"               \
                  " JOIN users u ON u.id = e.user_id WHERE e.assignment_id = ?1"         \
                  " ORDER BY u.name COLLATE NOCASE, u.name")                             \
    X(DUE, "SELECT g.name, a.name, a.zone, max(a.closes_ms, coalesce(e.until_ms, 0)),"   \
           " o.joined, o.teacher, a.opens_ms FROM users u"                               \
           " JOIN group_places p ON p.user_id = u.id AND p.joined = 1"                   \
           " AND p.teacher = 0 JOIN groups g ON g.id = p.group_id"                       \
           " JOIN assignments a ON a.group_id = g.id"                                    \
           " JOIN assignment_problems q ON q.assignment_id = a.id"                       \
           " LEFT JOIN extensions e ON e.assignment_id = a.id AND e.user_id = u.id"      \
           " LEFT JOIN group_places o ON o.group_id = g.id AND o.user_id = ?3"           \
           " WHERE u.name = ?1 AND q.problem = ?2 ORDER BY 4, 1, 2")                     \
    X(HIDDEN_PROBLEMS, "SELECT p.problem, max(a.opens_ms) FROM assignments a"            \
                       " JOIN assignment_problems p ON p.assignment_id = a.id"           \
                       " WHERE a.hides = 1 AND a.opens_ms > ?1 GROUP BY p.problem")      \
    X(SEES_HIDDEN, "SELECT EXISTS (SELECT 1 FROM group_places g JOIN assignments a"      \
                   " ON a.group_id = g.group_id JOIN assignment_problems p"              \
                   " ON p.assignment_id = a.id WHERE g.user_id = ?1 AND g.joined = 1"    \
                   " AND p.problem = ?2 AND (a.opens_ms <= ?3 OR (g.teacher = 1"         \
                   " AND ?4)))")                                                         \
    X(LEAVE_EXTENSIONS, "DELETE FROM extensions WHERE user_id = ?2 AND assignment_id IN" \
                        " (SELECT id FROM assignments WHERE group_id = ?1)")             \
    X(FORGET_EXTENSIONS, "DELETE FROM extensions WHERE user_id = ?1")                    \
    X(ASSIGN_EXTENSIONS, "DELETE FROM extensions WHERE user_id = ?1 AND user_id <> ?2")

#endif
