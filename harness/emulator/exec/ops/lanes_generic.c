/* The lane handlers for every x86-64. */
#define LANE_TABLE lanes_generic
#define LANE_COUNT lanes_generic_count
#include "lanes.inc"
