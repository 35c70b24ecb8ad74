/* Squared distances in double, the lowest index among equals. */
void
solve(const float *points, int *indices, int N)
{
    for (int i = 0; i < N; i++) {
        double x = points[3L * i], y = points[3L * i + 1], z = points[3L * i + 2],
               least = 0;
        int best = -1;

        for (int j = 0; j < N; j++) {
            double dx = points[3L * j] - x, dy = points[3L * j + 1] - y,
                   dz = points[3L * j + 2] - z;
            double d = dx * dx + dy * dy + dz * dz;

            if (j != i && (best < 0 || d < least)) {
                best = j;
                least = d;
            }
        }
        indices[i] = best;
    }
}
