/* Loads and stores for processors with AVX2. */
#pragma GCC target("avx2,fma,bmi,bmi2,popcnt")
#define ACCESS_TABLE access_avx2
#include "access.inc"
