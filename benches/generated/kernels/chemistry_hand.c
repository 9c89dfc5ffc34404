#include <math.h>
#include <stdlib.h>

/* Eight boxes go side by side, as a step of one is a chain of dependent operations; they keep four numbers each a step. Rates are as the factors,
   which gives their derivatives by temperature without another exp. */
enum { SIDE = 8 };

void chemistry_hand(int cells, int steps, double h, int entries, const double *restrict photolysis, const double *restrict factor,
                    double *restrict factorb, const double *restrict temperature, double *restrict temperatureb, double *restrict conc,
                    double *restrict concb)
{
    static const double energy[4] = {800, 1500, 400, 2100};
    double *restrict keep = malloc(4 * SIDE * (size_t)steps * sizeof *keep), sums[4] = {0};
    for (int first = 0; first < cells; first += SIDE) {
        double j[SIDE], slope[SIDE], k[4][SIDE], unit[4][SIDE], c[4][SIDE], a[4][SIDE], kb[4][SIDE] = {{0}}, jb[SIDE] = {0};
        int many = cells - first < SIDE ? cells - first : SIDE;
        for (int l = 0; l < SIDE; l++) {
            /* Lanes beyond the last box repeat it, with nothing to give back. */
            int i = l < many ? first + l : cells - 1;
            double T = temperature[i], position = (T - 250) * (entries - 1) / 100;
            if (position <= 0) {
                j[l] = h * photolysis[0];
                slope[l] = 0;
            } else if (position >= entries - 1) {
                j[l] = h * photolysis[entries - 1];
                slope[l] = 0;
            } else {
                int at = (int)position;
                double rise = photolysis[at + 1] - photolysis[at];
                j[l] = h * (photolysis[at] + (position - at) * rise);
                slope[l] = h * rise * (entries - 1) / 100;
            }
            for (int r = 0; r < 4; r++) {
                unit[r][l] = h * exp(energy[r] * (1 / 298.0 - 1 / T));
                k[r][l] = factor[r] * unit[r][l];
                c[r][l] = conc[4 * i + r];
                a[r][l] = l < many ? concb[4 * i + r] : 0;
            }
        }
        for (int t = 0; t < steps; t++) {
            double *restrict p = keep + 4 * SIDE * t;
            for (int l = 0; l < SIDE; l++) {
                double c0 = c[0][l], c1 = c[1][l], c2 = c[2][l], c3 = c[3][l];
                double net = k[1][l] * c2 - k[0][l] * c0 * c1, self = k[2][l] * c1 * c1, mixed = k[3][l] * c2 * c3, photo = j[l] * c3;
                p[l] = c0;
                p[SIDE + l] = c1;
                p[2 * SIDE + l] = c2;
                p[3 * SIDE + l] = c3;
                c[0][l] = c0 + (net + photo);
                c[1][l] = c1 + (net + photo - 2 * self);
                c[2][l] = c2 - (net + mixed);
                c[3][l] = c3 + (self + mixed - photo);
            }
        }
        for (int t = steps; t-- > 0;) {
            const double *restrict p = keep + 4 * SIDE * t;
            for (int l = 0; l < SIDE; l++) {
                double c0 = p[l], c1 = p[SIDE + l], c2 = p[2 * SIDE + l], c3 = p[3 * SIDE + l];
                double a0 = a[0][l], a1 = a[1][l], a2 = a[2][l], a3 = a[3][l];
                double n = a0 + a1 - a2, s = a3 - 2 * a1, m = a3 - a2, f = a0 + a1 - a3, x = n * k[0][l], y = m * k[3][l];
                kb[0][l] -= n * c0 * c1;
                kb[1][l] += n * c2;
                kb[2][l] += s * c1 * c1;
                kb[3][l] += m * c2 * c3;
                jb[l] += f * c3;
                a[0][l] = a0 - x * c1;
                a[1][l] = a1 + 2 * s * k[2][l] * c1 - x * c0;
                a[2][l] = a2 + n * k[1][l] + y * c3;
                a[3][l] = a3 + y * c2 + f * j[l];
            }
        }
        for (int l = 0; l < many; l++) {
            double T = temperature[first + l], hot = 0;
            for (int r = 0; r < 4; r++) {
                concb[4 * (first + l) + r] = a[r][l];
                sums[r] += kb[r][l] * unit[r][l];
                hot += kb[r][l] * k[r][l] * energy[r];
            }
            temperatureb[first + l] += jb[l] * slope[l] + hot / (T * T);
        }
    }
    for (int r = 0; r < 4; r++)
        factorb[r] += sums[r];
    free(keep);
}
