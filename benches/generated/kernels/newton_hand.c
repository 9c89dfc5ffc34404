#include <math.h>

/* The iteration has converged: the implicit function gives the derivative from its last point alone. */
void newton_hand(int n, const double *restrict mean, double *restrict meanb, const double *restrict eccentricity, double *restrict eccentricityb,
                 double *restrict x, double *restrict xb, double *restrict y, double *restrict yb)
{
    for (int i = 0; i < n; i++) {
        double e = eccentricity[i], m = mean[i], a = m + e * sin(m);
        for (int k = 0; k < 6; k++)
            a -= (a - e * sin(a) - m) / (1 - e * cos(a));
        double c = cos(a), s = sin(a), root = sqrt(1 - e * e);
        x[i] = c - e;
        y[i] = root * s;
        double ab = (root * c * yb[i] - s * xb[i]) / (1 - e * c);
        meanb[i] += ab;
        eccentricityb[i] += ab * s - xb[i] - e / root * s * yb[i];
        xb[i] = 0;
        yb[i] = 0;
    }
}
