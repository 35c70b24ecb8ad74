// expect: ok
#define T float
#define A(x) x
#define N 1024
#define args int
#define F double
template <class U> struct list {};
static int same, argument;
extern "C" void solve(const T *in, int8_t *out, int n, F x) {}
#define is_same broken
#define type broken
#define value broken
#define conditional broken
