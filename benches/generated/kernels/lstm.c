//: head lstm(lstm)/(w,u,b)
//: int steps = 30
//: int m = 16
//: in double x[steps * m] = sin(0.9 * i)
//: in double target[steps * m] = 0.5 * cos(0.4 * i)
//: active double w[4 * m * m] = 0.25 * sin(1.9 * i)
//: active double u[4 * m * m] = 0.25 * cos(2.3 * i)
//: active double b[4 * m] = 0.1 * sin(i)
/* A long short-term memory cell with m units runs over a sequence. The loss is half the sum of squared distances from targets. */
#include <math.h>
#include <string.h>

static double sigmoid(double z) { return 1 / (1 + exp(-z)); }

static void cell(int m, const double *x, const double *w, const double *u, const double *b, double *h, double *c)
{
    double gate[4 * m];
    for (int r = 0; r < 4 * m; r++) {
        double z = b[r];
        for (int j = 0; j < m; j++)
            z += w[r * m + j] * x[j] + u[r * m + j] * h[j];
        gate[r] = z;
    }
    for (int j = 0; j < m; j++) {
        double input = sigmoid(gate[j]), forget = sigmoid(gate[m + j]), output = sigmoid(gate[2 * m + j]);
        c[j] = forget * c[j] + input * tanh(gate[3 * m + j]);
        h[j] = output * tanh(c[j]);
    }
}

double lstm(int steps, int m, const double *x, const double *target, const double *w, const double *u, const double *b)
{
    double h[m], c[m], loss = 0;
    memset(h, 0, sizeof h);
    memset(c, 0, sizeof c);
    for (int t = 0; t < steps; t++) {
        cell(m, x + t * m, w, u, b, h, c);
        for (int j = 0; j < m; j++) {
            double e = h[j] - target[t * m + j];
            loss += 0.5 * e * e;
        }
    }
    return loss;
}
