/* The starting centroids are not const: a solution may keep later centroids there. All of
 * those lie among the points and the starting centroids. */
static void
check_among(struct check *check, const char *name, const float *data, int points,
            const float *before, const float *after, int k)
{
    double low = before[0], high = before[0], margin;

    for (int i = 0; i < points; i++) {
        low = data[i] < low ? data[i] : low;
        high = data[i] > high ? data[i] : high;
    }
    for (int j = 0; j < k; j++) {
        low = before[j] < low ? before[j] : low;
        high = before[j] > high ? before[j] : high;
    }
    margin = 1e-3 * (high - low) + 1e-3;
    for (int j = 0; j < k; j++)
        if (!(after[j] >= low - margin && after[j] <= high + margin))
            check_fail(
                check, name, j,
                "%g is no centroid: points and starting centroids lie from %g to %g",
                after[j], low, high);
}

void
check(struct check *check, const float *data_x, const float *data_y,
      const int *want_labels, const int *labels, const float *before_initial_centroid_x,
      const float *want_initial_centroid_x, const float *initial_centroid_x,
      const float *before_initial_centroid_y, const float *want_initial_centroid_y,
      const float *initial_centroid_y, const float *want_final_centroid_x,
      const float *final_centroid_x, const float *want_final_centroid_y,
      const float *final_centroid_y, int sample_size, int k, int max_iterations)
{
    check_among(check, "initial_centroid_x", data_x, sample_size,
                before_initial_centroid_x, initial_centroid_x, k);
    check_among(check, "initial_centroid_y", data_y, sample_size,
                before_initial_centroid_y, initial_centroid_y, k);
    (void)want_labels;
    (void)labels;
    (void)want_initial_centroid_x;
    (void)want_initial_centroid_y;
    (void)want_final_centroid_x;
    (void)final_centroid_x;
    (void)want_final_centroid_y;
    (void)final_centroid_y;
    (void)max_iterations;
}
