#include <math.h>
#include <stdlib.h>

/* A column at a time. A layer keeps k, e, the inverse of its denominator, r and t, so that nothing transcendental is found twice. */
void radiation_hand(int columns, int layers, double mu, const double *restrict tau, double *restrict taub, const double *restrict omega,
                    double *restrict omegab, const double *restrict g, double *restrict gb, const double *restrict surface,
                    double *restrict surfaceb, double *restrict up, double *restrict upb, double *restrict down, double *restrict downb)
{
    int m = layers + 1;
    double *block = malloc(8 * m * sizeof *block), im = 1 / mu;
    double *restrict r = block, *restrict t = r + m, *restrict a = t + m, *restrict s = a + m, *restrict kk = s + m, *restrict root = kk + m,
           *restrict inv = root + m, *restrict ab = inv + m;
    for (int c = 0; c < columns; c++) {
        int at = c * layers;
        double *restrict d = down + c * m, *restrict db = downb + c * m, *restrict u = up + c * m, *restrict ub = upb + c * m;
        for (int i = 0; i < layers; i++) {
            double w = omega[at + i], b = 0.5 * (1 - g[at + i]) * w, g1 = (1 - w + b) * im, g2 = b * im;
            double k = sqrt(g1 * g1 - g2 * g2), h = exp(-k * tau[at + i]), e = h * h, q = 1 / (k * (1 + e) + g1 * (1 - e));
            kk[i] = k;
            root[i] = h;
            inv[i] = q;
            r[i] = g2 * (1 - e) * q;
            t[i] = 2 * k * h * q;
        }
        a[layers] = surface[c];
        for (int i = layers - 1; i >= 0; i--) {
            s[i] = 1 / (1 - r[i] * a[i + 1]);
            a[i] = r[i] + t[i] * t[i] * a[i + 1] * s[i];
        }
        d[0] = 1;
        for (int i = 0; i < layers; i++)
            d[i + 1] = t[i] * s[i] * d[i];
        for (int i = 0; i < m; i++) {
            u[i] = a[i] * d[i];
            ab[i] = d[i] * ub[i];
            db[i] += a[i] * ub[i];
            ub[i] = 0;
        }
        /* inv and s take the derivatives of t and source by way of d. */
        for (int i = layers - 1; i >= 0; i--)
            db[i] += db[i + 1] * t[i] * s[i];
        double x = 0;
        for (int i = 0; i < layers; i++) {
            double y = ab[i] + x, si = s[i], ti = t[i], below = a[i + 1], dd = db[i + 1] * d[i];
            double sb = dd * ti + y * ti * ti * below, tb = dd * si + 2 * y * ti * below * si, z = sb * si * si, rb = y + z * below;
            x = y * ti * ti * si + z * r[i];
            db[i] = 0;
            double w = omega[at + i], f = 1 - g[at + i], b = 0.5 * f * w, g1 = (1 - w + b) * im, g2 = b * im;
            double k = kk[i], h = root[i], e = h * h, q = inv[i];
            double v = -q * (rb * r[i] + tb * ti), g2b = rb * (1 - e) * q, g1b = v * (1 - e);
            double hb = 2 * k * q * tb + 2 * h * (v * (k - g1) - rb * g2 * q), kb = 2 * h * q * tb + v * (1 + e) - hb * tau[at + i] * h;
            taub[at + i] -= hb * k * h;
            kb /= k;
            g1b += kb * g1;
            g2b -= kb * g2;
            double bb = (g1b + g2b) * im;
            omegab[at + i] += 0.5 * f * bb - g1b * im;
            gb[at + i] -= 0.5 * w * bb;
        }
        surfaceb[c] += x + ab[layers];
        db[layers] = 0;
    }
    free(block);
}
