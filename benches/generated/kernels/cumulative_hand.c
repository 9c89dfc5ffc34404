#include <stdlib.h>

/* Back, there are running sums from the end: of all that a product multiplies, and of the accruals' derivatives. Inverses of the growth are
   kept. */
void cumulative_hand(int paths, int n, double dt, const double *restrict notional, const double *restrict rate, double *restrict rateb,
                     double seed)
{
    double *block = malloc(3 * n * sizeof *block), *restrict inverse = block, *restrict factor = inverse + n, *restrict accrued = factor + n;
    double scale = seed / paths * dt;
    for (int p = 0; p < paths; p++) {
        const double *restrict r = rate + p * n;
        double *restrict rb = rateb + p * n, product = 1, sum = 0, later = 0, slope = 0;
        for (int i = 0; i < n; i++)
            inverse[i] = 1 / (1 + dt * r[i]);
        for (int i = 0; i < n; i++) {
            product *= inverse[i];
            sum += dt * r[i];
            factor[i] = product;
            accrued[i] = sum;
        }
        for (int i = n - 1; i >= 0; i--) {
            double v = notional[i] * factor[i], a = accrued[i];
            later += v * (1 + a * a);
            slope += 2 * v * a;
            rb[i] += scale * (slope - later * inverse[i]);
        }
    }
    free(block);
}
