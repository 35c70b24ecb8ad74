/* Loads and stores for every x86-64. */
#define ACCESS_TABLE access_generic
#include "access.inc"
