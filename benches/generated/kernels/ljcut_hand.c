#include <math.h>

static double nearest_image(double d, double box) { return d > 0.5 * box ? d - box : d < -0.5 * box ? d + box : d; }

/* A pair is done with at once; the shift at the cutoff is the same for all, of which only the number counts. */
void ljcut_hand(int n, double box, double cutoff, double sigma, double *restrict sigmab, double epsilon, double *restrict epsilonb,
                const double *restrict x, double *restrict xb, double seed)
{
    double c2 = cutoff * cutoff, s2 = sigma * sigma, energy = 0, slope = 0, pull = 24 * seed * epsilon;
    long near = 0;
    for (int i = 0; i < n; i++) {
        double xi = x[3 * i], yi = x[3 * i + 1], zi = x[3 * i + 2], fx = 0, fy = 0, fz = 0;
        for (int j = i + 1; j < n; j++) {
            double dx = nearest_image(xi - x[3 * j], box), dy = nearest_image(yi - x[3 * j + 1], box), dz = nearest_image(zi - x[3 * j + 2], box);
            double r2 = dx * dx + dy * dy + dz * dz;
            if (r2 < c2) {
                double inverse = 1 / r2, q = s2 * inverse, s6 = q * q * q, t = s6 * (2 * s6 - 1), f = -pull * t * inverse;
                energy += s6 * (s6 - 1);
                slope += t;
                near++;
                fx += f * dx;
                fy += f * dy;
                fz += f * dz;
                xb[3 * j] -= f * dx;
                xb[3 * j + 1] -= f * dy;
                xb[3 * j + 2] -= f * dz;
            }
        }
        xb[3 * i] += fx;
        xb[3 * i + 1] += fy;
        xb[3 * i + 2] += fz;
    }
    double q = s2 / c2, s6 = q * q * q;
    *epsilonb += 4 * seed * (energy - near * s6 * (s6 - 1));
    *sigmab += pull / sigma * (slope - near * s6 * (2 * s6 - 1));
}
