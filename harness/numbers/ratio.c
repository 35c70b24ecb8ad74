#include "numbers/ratio.h"

struct ratio
ratio_of(double time, struct interval of_time, double baseline,
         struct interval of_baseline)
{
    return (struct ratio){.value = baseline / time,
                          .low = of_baseline.low / of_time.high,
                          .high = of_baseline.high / of_time.low};
}

enum faster
ratio_faster(struct interval of_time, struct interval of_baseline)
{
    if (of_time.high < of_baseline.low)
        return FASTER_YES;
    return of_baseline.high < of_time.low ? FASTER_NO : FASTER_UNSURE;
}
