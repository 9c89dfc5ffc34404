/* Value and slope by Horner's rule at once, nothing kept; coefficients get sums of powers. Eight points side by side make the chains vectors. */
enum { SIDE = 8 };

void horner_hand(int n, int degree, const double *restrict c, double *restrict cb, const double *restrict x, double *restrict xb,
                 double *restrict y, double *restrict yb)
{
    int i = 0;
    for (; i + SIDE <= n; i += SIDE) {
        double p[SIDE], d[SIDE], g[SIDE], z[SIDE];
        for (int j = 0; j < SIDE; j++) {
            z[j] = x[i + j];
            g[j] = yb[i + j];
            p[j] = c[degree];
            d[j] = 0;
        }
        for (int k = degree - 1; k >= 0; k--)
            for (int j = 0; j < SIDE; j++) {
                d[j] = d[j] * z[j] + p[j];
                p[j] = p[j] * z[j] + c[k];
            }
        for (int j = 0; j < SIDE; j++) {
            y[i + j] = p[j];
            xb[i + j] += d[j] * g[j];
            yb[i + j] = 0;
        }
        for (int k = 0; k <= degree; k++) {
            cb[k] += ((g[0] + g[1]) + (g[2] + g[3])) + ((g[4] + g[5]) + (g[6] + g[7]));
            for (int j = 0; j < SIDE; j++)
                g[j] *= z[j];
        }
    }
    for (; i < n; i++) {
        double p = c[degree], d = 0, g = yb[i];
        for (int k = degree - 1; k >= 0; k--) {
            d = d * x[i] + p;
            p = p * x[i] + c[k];
        }
        y[i] = p;
        xb[i] += d * g;
        yb[i] = 0;
        for (int k = 0; k <= degree; k++) {
            cb[k] += g;
            g *= x[i];
        }
    }
}
