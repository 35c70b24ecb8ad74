// expect: ok
// Array parameters, size_t for the count, const on an output and on values, noexcept.
extern "C" void solve(const float A[], const unsigned char B[], const size_t N,
                      const double x) noexcept {}
