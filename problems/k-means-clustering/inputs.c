/*
 * Blobs so far apart that no point ever lies between two centroids, and starting
 * centroids near them: the answer then does not hang on the rounding of a mean. Variants
 * put the blobs and the starting centroids at certain places.
 */
#include <string.h>

#define CLUSTERS_MAX 1024

struct place {
    double x, y;
};

struct layout {
    int blobs;
    double deviation;
    struct place blob[CLUSTERS_MAX];
    struct place start[CLUSTERS_MAX];
};

/* Blobs in the middles of a grid's cells, at least 25 wide, in random order. */
static void
spread(struct draws *draws, struct layout *layout, int k)
{
    int side = (int)ceil(sqrt(k)), order[CLUSTERS_MAX];
    double width = fmax(25, 100.0 / side);

    for (int c = 0; c < side * side; c++)
        order[c] = c;
    for (int c = 0; c < k; c++) {
        int other = (int)draw_integer(draws, c, side * side - 1), cell = order[other];

        order[other] = order[c];
        layout->blob[c].x = (cell % side + 0.5) * width;
        layout->blob[c].y = (cell / side + 0.5) * width;
        layout->start[c].x = layout->blob[c].x + draw_uniform(draws, -3, 3);
        layout->start[c].y = layout->blob[c].y + draw_uniform(draws, -3, 3);
    }
    layout->blobs = k;
    layout->deviation = 2;
}

static struct layout
lay_out(struct draws *draws, const char *variant, int k)
{
    static const struct layout
        diagonal = {3, 1, {{20, 20}, {50, 50}, {80, 80}}, {{10, 25}, {45, 60}, {90, 75}}},
        first_only = {1, 1, {{10, 12}}, {{11, 9}, {60, 50}, {-40, 90}}},
        none_in_the_middle = {2, 1, {{10, 10}, {90, 90}}, {{12, 8}, {50, 50}, {87, 95}}};
    static struct layout layout;

    if (strcmp(variant, "diagonal") == 0)
        return diagonal;
    if (strcmp(variant, "first only") == 0)
        return first_only;
    if (strcmp(variant, "none in the middle") == 0)
        return none_in_the_middle;
    spread(draws, &layout, k);
    if (strcmp(variant, "tight") == 0)
        layout.deviation = 0.1;
    return layout;
}

void
inputs(struct draws *draws, const char *variant, float *data_x, float *data_y,
       float *initial_centroid_x, float *initial_centroid_y, int sample_size, int k,
       int max_iterations)
{
    static struct layout l;

    (void)max_iterations;
    l = lay_out(draws, variant, k);
    for (int c = 0; c < k; c++) {
        initial_centroid_x[c] = (float)l.start[c].x;
        initial_centroid_y[c] = (float)l.start[c].y;
    }
    for (int i = 0; i < sample_size; i++) {
        const struct place *blob =
            &l.blob[i < l.blobs ? i : (int)draw_integer(draws, 0, l.blobs - 1)];

        data_x[i] =
            (float)(blob->x + fmin(6, fmax(-6, draw_normal(draws, 0, l.deviation))));
        data_y[i] =
            (float)(blob->y + fmin(6, fmax(-6, draw_normal(draws, 0, l.deviation))));
    }
}
