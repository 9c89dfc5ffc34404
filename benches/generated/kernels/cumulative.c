//: head cumulative(cumulative)/(rate)
//: int paths = 60
//: int n = 120
//: in double dt = 0.25
//: in double notional[n] = 1 + 0.1 * sin(i)
//: active double rate[paths * n] = 0.02 + 0.01 * sin(0.3 * i)
/* Present values of payments along paths of rates: discount factors are running products, accruals running sums. */
#include <math.h>
#include <stdlib.h>

static void discount(int n, double dt, const double *rate, double *factor, double *accrued)
{
    double product = 1, sum = 0;
    for (int i = 0; i < n; i++) {
        product /= 1 + dt * rate[i];
        sum += dt * rate[i];
        factor[i] = product;
        accrued[i] = sum;
    }
}

double cumulative(int paths, int n, double dt, const double *notional, const double *rate)
{
    double *factor = malloc(2 * n * sizeof *factor), *accrued = factor + n, total = 0;
    for (int p = 0; p < paths; p++) {
        discount(n, dt, rate + p * n, factor, accrued);
        for (int i = 0; i < n; i++)
            total += notional[i] * factor[i] * (1 + accrued[i] * accrued[i]);
    }
    free(factor);
    return total / paths;
}
