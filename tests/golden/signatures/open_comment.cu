// expect: open_comment.cu:3:
// expect: unterminated comment
/*
extern "C" void solve(const float *A, int8_t *B, int N, double x) {}
