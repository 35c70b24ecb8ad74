/*
 * All logits lie near 100,000 and those of a step within 9 of each other: what tells a
 * step's answer is which is largest, and the differences. Floats err by up to 0.03 here;
 * the largest leads by 0.03 and more.
 */
#define ROOM 0.2

void
check(struct check *check, const int *prompts, const float *want_output,
      const float *output, const float *weights, int batch_size)
{
    (void)prompts;
    (void)weights;
    for (long row = 0; row < 11L * batch_size; row++) {
        const float *want = want_output + 10 * row, *got = output + 10 * row;
        int largest = 0, wanted = 0;

        for (int d = 0; d < 10; d++) {
            double off = (double)got[d] - want[d];

            if (!(off >= -ROOM && off <= ROOM)) {
                check_fail(check, "output", 10 * row + d,
                           "got %.9g, want %.9g: more than 0.2 apart", got[d], want[d]);
                return;
            }
            if (got[d] > got[largest])
                largest = d;
            if (want[d] > want[wanted])
                wanted = d;
        }
        if (largest != wanted) {
            check_fail(
                check, "output", 10 * row + largest,
                "the largest logit of this step is that of %d, but must be that of %d",
                largest, wanted);
            return;
        }
    }
}
