#include <math.h>
#include <stdlib.h>

/* The inverse distances are found once and kept, as a loop with a square root stays scalar (errno); the two sweeps over all pairs then are
   vector loops that only write to the bodies j. The adjoint of an acceleration is the acceleration itself. */
void nbody_hand(int n, double soft, const double *restrict position, double *restrict positionb, const double *restrict mass,
                double *restrict massb, double seed)
{
    double *block = calloc(10 * n + n * n, sizeof *block);
    double *restrict x = block, *restrict y = x + n, *restrict z = y + n, *restrict ax = z + n, *restrict ay = ax + n, *restrict az = ay + n;
    double *restrict px = az + n, *restrict py = px + n, *restrict pz = py + n, *restrict pm = pz + n, *restrict inverse = pm + n, eps = soft * soft;
    for (int i = 0; i < n; i++) {
        x[i] = position[3 * i];
        y[i] = position[3 * i + 1];
        z[i] = position[3 * i + 2];
    }
    for (int i = 0; i < n; i++) {
        double xi = x[i], yi = y[i], zi = z[i], *restrict r = inverse + i * n;
        for (int j = 0; j < i; j++)
            r[j] = inverse[j * n + i];
        for (int j = i + 1; j < n; j++) {
            double dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
            r[j] = eps + dx * dx + dy * dy + dz * dz;
        }
        /* A body does not act on itself. */
        r[i] = 0;
        for (int j = i + 1; j < n; j++)
            r[j] = 1 / sqrt(r[j]);
    }
    for (int i = 0; i < n; i++) {
        double xi = x[i], yi = y[i], zi = z[i], mi = mass[i];
        const double *restrict row = inverse + i * n;
        for (int j = 0; j < n; j++) {
            double r = row[j], c = mi * r * r * r;
            ax[j] -= c * (x[j] - xi);
            ay[j] -= c * (y[j] - yi);
            az[j] -= c * (z[j] - zi);
        }
    }
    /* With accelerations a as their adjoints, u = m_j a_i - m_i a_j is the adjoint of the difference d times 1 / r^3. */
    for (int i = 0; i < n; i++) {
        double xi = x[i], yi = y[i], zi = z[i], mi = mass[i], axi = ax[i], ayi = ay[i], azi = az[i];
        const double *restrict row = inverse + i * n;
        for (int j = 0; j < n; j++) {
            double dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi, r = row[j], q = r * r, c = q * r, mj = mass[j];
            double ux = mj * axi - mi * ax[j], uy = mj * ayi - mi * ay[j], uz = mj * azi - mi * az[j];
            double g = c * (mi * mj - 3 * q * (dx * ux + dy * uy + dz * uz));
            px[j] += c * ux + g * dx;
            py[j] += c * uy + g * dy;
            pz[j] += c * uz + g * dz;
            pm[j] += c * (dx * axi + dy * ayi + dz * azi) - mi * r;
        }
    }
    for (int i = 0; i < n; i++) {
        positionb[3 * i] += seed * px[i];
        positionb[3 * i + 1] += seed * py[i];
        positionb[3 * i + 2] += seed * pz[i];
        massb[i] += seed * pm[i];
    }
    free(block);
}
