//: head radiation(up,down)/(tau,omega,g,surface)
//: int columns = 40
//: int layers = 60
//: in double mu = 0.6
//: active double tau[columns * layers] = 0.05 + 0.04 * sin(0.3 * i)
//: active double omega[columns * layers] = 0.8 + 0.15 * cos(0.11 * i)
//: active double g[columns * layers] = 0.5 + 0.3 * sin(0.07 * i)
//: active double surface[columns] = 0.2 + 0.1 * sin(i)
//: out double up[columns * (layers + 1)]
//: out double down[columns * (layers + 1)]
/* Two-stream fluxes in plane-parallel columns: reflectance and transmittance of each layer, then adding of layers from the surface up. */
#include <math.h>

static void layer(double mu, double tau, double omega, double g, double *reflect, double *transmit)
{
    double back = 0.5 * (1 - g) * omega, absorb = 1 - omega;
    double gamma1 = (absorb + back) / mu, gamma2 = back / mu;
    double k = sqrt(gamma1 * gamma1 - gamma2 * gamma2);
    double e = exp(-2 * k * tau), denominator = k * (1 + e) + gamma1 * (1 - e);
    *reflect = gamma2 * (1 - e) / denominator;
    *transmit = 2 * k * sqrt(e) / denominator;
}

void radiation(int columns, int layers, double mu, const double *tau, const double *omega, const double *g, const double *surface, double *up,
               double *down)
{
    for (int c = 0; c < columns; c++) {
        double r[layers], t[layers], albedo[layers + 1], source[layers];
        for (int i = 0; i < layers; i++)
            layer(mu, tau[c * layers + i], omega[c * layers + i], g[c * layers + i], &r[i], &t[i]);
        albedo[layers] = surface[c];
        for (int i = layers - 1; i >= 0; i--) {
            source[i] = 1 / (1 - r[i] * albedo[i + 1]);
            albedo[i] = r[i] + t[i] * t[i] * albedo[i + 1] * source[i];
        }
        double *d = down + c * (layers + 1), *u = up + c * (layers + 1);
        d[0] = 1;
        for (int i = 0; i < layers; i++)
            d[i + 1] = t[i] * source[i] * d[i];
        for (int i = 0; i <= layers; i++)
            u[i] = albedo[i] * d[i];
    }
}
