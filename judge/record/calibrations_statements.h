/* Private to store*.c and calibrations.c: the SQL about calibrations. A row of
 * CALIBRATION_STATEMENTS is a statement of the store as those of STATEMENTS are. */
#ifndef RECORD_CALIBRATIONS_STATEMENTS_H
#define RECORD_CALIBRATIONS_STATEMENTS_H

#define ADD_FIGURE(name)                                                                 \
    " " name "_total = " name "_total + excluded." name "_total,"                        \
    " " name "_low = min(" name "_low, excluded." name "_low),"                          \
    " " name "_high = max(" name "_high, excluded." name "_high)"

#define READ_FIGURE(name) name "_total / count, " name "_low, " name "_high"

/* What came with a result is counted once for each time at which it was measured. A
 * result without conditions, as that of emu, has none. */
#define CALIBRATION_STATEMENTS(X)                                                        \
    X(ADD_CALIBRATIONS,                                                                  \
      "INSERT INTO calibrations (gpu, day, board, device, node, measured_ms, count,"     \
      " copy_total, copy_low, copy_high, read_total, read_low, read_high,"               \
      " fp32_total, fp32_low, fp32_high)"                                                \
      " SELECT gpu, finished_ms / 86400000, board, device, node, finished_ms, 1,"        \
      " copy, copy, copy, read, read, read, fp32, fp32, fp32 FROM ("                     \
      "SELECT json_extract(s.c, '$.gpu') AS gpu, s.board, s.device,"                     \
      " coalesce(s.node, '') AS node, s.finished_ms,"                                    \
      " json_extract(s.c, '$.' || m.key || '.copy_gbs') AS copy,"                        \
      " json_extract(s.c, '$.' || m.key || '.read_gbs') AS read,"                        \
      " json_extract(s.c, '$.' || m.key || '.fp32_tflops') AS fp32 FROM ("               \
      "SELECT *, CASE WHEN json_valid(conditions) THEN conditions END AS c"              \
      " FROM submissions WHERE id = ?1) s, json_each(s.c) m"                             \
      " WHERE m.key IN ('before', 'after'))"                                             \
      " WHERE gpu <> '' AND copy > 0 AND read > 0 AND fp32 > 0"                          \
      " ON CONFLICT (gpu, day) DO UPDATE SET board = excluded.board,"                    \
      " device = excluded.device, node = excluded.node,"                                 \
      " measured_ms = excluded.measured_ms,"                                             \
      " count = count + 1," ADD_FIGURE("copy") "," ADD_FIGURE("read") "," ADD_FIGURE(    \
          "fp32"))                                                                       \
    X(NEXT_CALIBRATED,                                                                   \
      "SELECT gpu FROM calibrations WHERE gpu > ?1 ORDER BY gpu LIMIT 1")                \
    X(CALIBRATION_DAYS,                                                                  \
      "SELECT day, count, board, device, node, measured_ms, " READ_FIGURE(               \
          "copy") ", " READ_FIGURE("read") ", " READ_FIGURE("fp32") " FROM "             \
                                                                    "calibrations "      \
                                                                    "WHERE gpu = ?1 "    \
                                                                    "AND day >= ?2 "     \
                                                                    "ORDER BY day "      \
                                                                    "LIMIT ?3")

#endif
