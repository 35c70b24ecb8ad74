/* Two numbers of up to ten digits in each prompt: random ones, or those that the variant
 * lists ("1+2 30+40"), again and again. */
static void
write_number(int *tokens, unsigned long long number)
{
    for (int digit = 0; digit < 10; digit++) {
        tokens[digit] = (int)(number % 10);
        number /= 10;
    }
}

void
inputs(struct draws *draws, const char *variant, int *prompts, float *weights,
       int batch_size)
{
    char *next = (char *)variant;

    (void)weights;
    for (int b = 0; b < batch_size; b++) {
        int *tokens = prompts + 31L * b;
        unsigned long long first, second;

        if (*variant == '\0') {
            first = (unsigned long long)draw_integer(draws, 0, 9999999999);
            second = (unsigned long long)draw_integer(draws, 0, 9999999999);
        } else {
            if (*next == '\0')
                next = (char *)variant;
            first = strtoull(next, &next, 10);
            second = strtoull(next + 1, &next, 10);
        }
        for (int t = 0; t < 31; t++)
            tokens[t] = 0;
        write_number(tokens + 1, first);
        write_number(tokens + 20, second);
    }
}
