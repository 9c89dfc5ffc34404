//: head kalman(kalman)/(q,r,drag)
//: int n = 1000
//: in double dt = 0.1
//: in double seen[n] = sin(0.05 * i) + 0.1 * cos(7.0 * i)
//: active double q = 0.02
//: active double r = 0.05
//: active double drag = 0.3
/* Negative log-likelihood of a track by a Kalman filter with the states position and velocity; positions are seen. */
#include <math.h>

static void predict(double dt, double q, double drag, double x[2], double p[2][2])
{
    double f[2][2] = {{1, dt}, {0, 1 - drag * dt}}, fp[2][2], y[2];
    for (int i = 0; i < 2; i++) {
        y[i] = f[i][0] * x[0] + f[i][1] * x[1];
        for (int j = 0; j < 2; j++)
            fp[i][j] = f[i][0] * p[0][j] + f[i][1] * p[1][j];
    }
    for (int i = 0; i < 2; i++) {
        x[i] = y[i];
        for (int j = 0; j < 2; j++)
            p[i][j] = fp[i][0] * f[j][0] + fp[i][1] * f[j][1];
    }
    p[0][0] += q * dt * dt * dt / 3;
    p[0][1] += q * dt * dt / 2;
    p[1][0] += q * dt * dt / 2;
    p[1][1] += q * dt;
}

static double update(double seen, double r, double x[2], double p[2][2])
{
    double s = p[0][0] + r, innovation = seen - x[0], gain[2] = {p[0][0] / s, p[1][0] / s}, row[2] = {p[0][0], p[0][1]};
    for (int i = 0; i < 2; i++) {
        x[i] += gain[i] * innovation;
        for (int j = 0; j < 2; j++)
            p[i][j] -= gain[i] * row[j];
    }
    return 0.5 * (log(s) + innovation * innovation / s);
}

double kalman(int n, double dt, const double *seen, double q, double r, double drag)
{
    double x[2] = {0, 0}, p[2][2] = {{1, 0}, {0, 1}}, cost = 0;
    for (int t = 0; t < n; t++) {
        predict(dt, q, drag, x, p);
        cost += update(seen[t], r, x, p);
    }
    return cost;
}
