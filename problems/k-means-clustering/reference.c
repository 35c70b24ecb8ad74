/* Distances, sums and means in double; the centroids are rounded at the end only. */
#include <stdlib.h>

static int
nearest(double x, double y, const double *cx, const double *cy, int k)
{
    double least = 0;
    int best = -1;

    for (int j = 0; j < k; j++) {
        double dx = x - cx[j], dy = y - cy[j], d = dx * dx + dy * dy;

        if (best < 0 || d < least) {
            best = j;
            least = d;
        }
    }
    return best;
}

void
solve(const float *data_x, const float *data_y, int *labels, float *initial_centroid_x,
      float *initial_centroid_y, float *final_centroid_x, float *final_centroid_y,
      int sample_size, int k, int max_iterations)
{
    double *cx = malloc(4 * (size_t)k * sizeof *cx), *cy = cx + k, *sx = cy + k,
           *sy = sx + k;
    int *points = malloc((size_t)k * sizeof *points);

    if (!cx || !points)
        abort();
    for (int j = 0; j < k; j++) {
        cx[j] = initial_centroid_x[j];
        cy[j] = initial_centroid_y[j];
    }
    for (int iteration = 0; iteration < max_iterations; iteration++) {
        for (int j = 0; j < k; j++)
            sx[j] = sy[j] = points[j] = 0;
        for (int i = 0; i < sample_size; i++) {
            int j = nearest(data_x[i], data_y[i], cx, cy, k);

            labels[i] = j;
            sx[j] += data_x[i];
            sy[j] += data_y[i];
            points[j]++;
        }
        for (int j = 0; j < k; j++)
            if (points[j] > 0) {
                cx[j] = sx[j] / points[j];
                cy[j] = sy[j] / points[j];
            }
    }
    for (int j = 0; j < k; j++) {
        final_centroid_x[j] = (float)cx[j];
        final_centroid_y[j] = (float)cy[j];
    }
    free(points);
    free(cx);
}
