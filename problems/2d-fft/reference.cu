/*
 * Rows, then columns, in double; each part is rounded once at the end. A transform of a length
 * that is a power of two goes in log2 passes over all rows at a time (Stockham's form: no
 * reordering), any other by the sum itself. Between the two the matrix is transposed.
 */
__device__ static double2
times_root(double2 x, long long numerator, int length)
{
    double s, c;

    sincospi(-2.0 * (double)numerator / length, &s, &c);
    return make_double2(x.x * c - x.y * s, x.x * s + x.y * c);
}

__global__ static void
widen(const float2 *from, double2 *to, size_t count)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < count)
        to[i] = make_double2(from[i].x, from[i].y);
}

/* One pass over rows of `length`; blockIdx.y is the row (strided: there may be many). */
__global__ static void
pass(const double2 *from, double2 *to, int rows, int length, int run)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), half = length / 2;
    int k = i % run, at = (i - k) * 2 + k;

    if (i >= half)
        return;
    for (int row = (int)blockIdx.y; row < rows; row += (int)gridDim.y) {
        size_t first = (size_t)row * length;
        double2 a = from[first + i], b = times_root(from[first + i + half], k, 2 * run);

        to[first + at] = make_double2(a.x + b.x, a.y + b.y);
        to[first + at + run] = make_double2(a.x - b.x, a.y - b.y);
    }
}

__global__ static void
sum(const double2 *from, double2 *to, int rows, int length)
{
    int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (k >= length)
        return;
    for (int row = (int)blockIdx.y; row < rows; row += (int)gridDim.y) {
        size_t first = (size_t)row * length;
        double2 all = make_double2(0, 0);

        for (int n = 0; n < length; n++) {
            double2 term = times_root(from[first + n], (long long)k * n % length, length);

            all.x += term.x;
            all.y += term.y;
        }
        to[first + k] = all;
    }
}

template <typename Pair, typename Number>
__global__ static void
transpose(const double2 *from, Pair *to, int rows, int columns)
{
    int column = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (column >= columns)
        return;
    for (int row = (int)blockIdx.y; row < rows; row += (int)gridDim.y) {
        double2 v = from[(size_t)row * columns + column];

        to[(size_t)column * rows + row] = {(Number)v.x, (Number)v.y};
    }
}

static dim3
grid(int length, int rows)
{
    return dim3((unsigned)(length + 127) / 128, rows < 4096 ? (unsigned)rows : 4096);
}

/* Transforms all rows of x[0]; afterwards the result is in x[0] again. */
static void
transform(double2 *x[2], int rows, int length)
{
    if (length > 1 && (length & (length - 1)) == 0)
        for (int run = 1; run < length; run *= 2) {
            double2 *from = x[0];

            pass<<<grid(length / 2, rows), 128>>>(x[0], x[1], rows, length, run);
            x[0] = x[1];
            x[1] = from;
        }
    else {
        double2 *from = x[0];

        sum<<<grid(length, rows), 128>>>(x[0], x[1], rows, length);
        x[0] = x[1];
        x[1] = from;
    }
}

extern "C" void
solve(const float *signal, float *spectrum, int M, int N)
{
    const size_t count = (size_t)M * N;
    double2 *room, *x[2];

    if (cudaMalloc(&room, 2 * count * sizeof *room) != cudaSuccess)
        return;
    x[0] = room;
    x[1] = room + count;
    widen<<<(unsigned)((count + 255) / 256), 256>>>((const float2 *)signal, x[0], count);
    transform(x, M, N);
    transpose<double2, double><<<grid(N, M), 128>>>(x[0], x[1], M, N);
    double2 *turned = x[1];

    x[1] = x[0];
    x[0] = turned;
    transform(x, N, M);
    transpose<float2, float><<<grid(M, N), 128>>>(x[0], (float2 *)spectrum, N, M);
    cudaFree(room);
}
