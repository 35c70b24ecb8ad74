// expect: solve is not a function but a variable of type
auto solve = [](const float *A, int8_t *B, int N, double x) {};
