/*
 * The database's schema, as the steps that lead to it.
 *
 * To change the schema, append a step to MIGRATIONS, and never edit an older one. Then
 * change the statements (store_statements.h) and test_store.c's fixture. A column that
 * goes away is dropped one version after the last code that reads it.
 */
#ifndef RECORD_STORE_SCHEMA_H
#define RECORD_STORE_SCHEMA_H

/* The version that this program makes. */
int store_newest_schema(void);

/* SQL that takes a database of a version, below the newest, to the next one. It is run in
 * one transaction together with the change of PRAGMA user_version, so that a killed
 * migration did not happen. */
const char *store_migration(int version);

#endif
