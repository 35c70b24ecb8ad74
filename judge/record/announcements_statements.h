/* Private to store*.c and announcements.c: the SQL about announcements. A row of
 * ANNOUNCEMENT_STATEMENTS is a statement of the store as those of STATEMENTS are. */
#ifndef RECORD_ANNOUNCEMENTS_STATEMENTS_H
#define RECORD_ANNOUNCEMENTS_STATEMENTS_H

#define ANNOUNCEMENT_STATEMENTS(X)                                                       \
    X(ANNOUNCEMENTS, "SELECT id, text, created_ms FROM announcements ORDER BY id DESC")  \
    X(ANNOUNCE, "INSERT INTO announcements (text, created_ms) SELECT ?1, ?2"             \
                " WHERE (SELECT count(*) FROM announcements) < ?3")                      \
    X(DROP_ANNOUNCEMENT, "DELETE FROM announcements WHERE id = ?1")

#endif
