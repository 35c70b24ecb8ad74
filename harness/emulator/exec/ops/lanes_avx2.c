/* The lane handlers for processors with AVX2 and FMA: chosen by machine_new. */
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#define LANE_TABLE lanes_avx2
#define LANE_COUNT lanes_avx2_count
#include "lanes.inc"
