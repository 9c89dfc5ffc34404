#include <stdlib.h>

/* The states are kept and midpoints are found again, off the chain of dependent operations, of which the time is made: so the entries of the two
   Jacobians take up h, and brackets put the newest number last. */
void lorenz_hand(int steps, double h, double sigma, double *restrict sigmab, double rho, double *restrict rhob, double beta,
                 double *restrict betab, const double *restrict start, double *restrict startb, double seed)
{
    double *restrict keep = malloc(3 * (size_t)steps * sizeof *keep);
    double x = start[0], y = start[1], z = start[2], g = 0.5 * h, gs = g * sigma, gz = g * beta, hs = h * sigma, hz = h * beta;
    for (int t = 0; t < steps; t++) {
        double *k = keep + 3 * t;
        double mx = x + gs * (y - x), my = y + g * (x * (rho - z) - y), mz = z + g * (x * y - beta * z);
        k[0] = x; k[1] = y; k[2] = z;
        x += hs * (my - mx);
        y += h * (mx * (rho - mz) - my);
        z += h * (mx * my - beta * mz);
    }
    double xb = 0, yb = 0, zb = 0, sb = 0, rb = 0, bb = 0, sb2 = 0, rb2 = 0, bb2 = 0;
    seed /= steps;
    for (int t = steps; t-- > 0;) {
        const double *k = keep + 3 * t;
        x = k[0]; y = k[1]; z = k[2];
        double mx = x + gs * (y - x), my = y + g * (x * (rho - z) - y), mz = z + g * (x * y - beta * z);
        double r = h * (rho - mz), hx = h * mx, hy = h * my, q = g * (rho - z), gx = g * x, gy = g * y;
        zb += seed;
        double ax = (r * yb - hs * xb) + hy * zb, ay = (hs * xb - h * yb) + hx * zb, az = -hx * yb - hz * zb;
        sb += (my - mx) * xb;
        rb += mx * yb;
        bb += mz * zb;
        sb2 += (y - x) * ax;
        rb2 += x * ay;
        bb2 += z * az;
        xb = (xb + ax) + (q * ay - gs * ax) + gy * az;
        yb = (yb + ay) + (gs * ax - g * ay) + gx * az;
        zb = (zb + az) - (gx * ay + gz * az);
    }
    *sigmab += h * sb + g * sb2;
    *rhob += h * rb + g * rb2;
    *betab -= h * bb + g * bb2;
    startb[0] += xb;
    startb[1] += yb;
    startb[2] += zb;
    free(keep);
}
