/*
 * Float distances err by some 2e-7 of their value: a point whose exact distance is as
 * near to the smallest is right too. Between distances that are exactly equal the lowest
 * index counts, as it does for a kernel in floats, which computes the same for both.
 */
static double
squared_distance(const float *points, int i, int j)
{
    double sum = 0;

    for (int c = 0; c < 3; c++) {
        double d = (double)points[3L * i + c] - points[3L * j + c];

        sum += d * d;
    }
    return sum;
}

void
check(struct check *check, const float *points, const int *want_indices,
      const int *indices, int N)
{
    for (int i = 0; i < N; i++) {
        int j = indices[i], best = want_indices[i];
        double got, least;

        if (j == best)
            continue;
        if (j < 0 || j >= N || j == i) {
            check_fail(check, "indices", i, "%d is no other point; the nearest is %d", j,
                       best);
            return;
        }
        got = squared_distance(points, i, j);
        least = squared_distance(points, i, best);
        if (got > least * (1 + 1e-6)) {
            check_fail(check, "indices", i, "point %d is nearer than %d", best, j);
            return;
        }
        if (got == least) {
            check_fail(check, "indices", i,
                       "%d and %d are equally near: the lower index counts", best, j);
            return;
        }
    }
}
