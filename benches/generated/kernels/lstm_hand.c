#include <math.h>
#include <stdlib.h>

static double sigmoid(double z) { return 1 / (1 + exp(-z)); }

/* By one exponential; absolute accuracy is all that is needed. */
static double fast_tanh(double z) { return 1 - 2 / (exp(2 * z) + 1); }

/* Each step keeps its gates, c and tanh(c), h: the way back has no transcendental function and no product with the matrices but the transposed
   one. */
void lstm_hand(int steps, int m, const double *restrict x, const double *restrict target, const double *restrict w, double *restrict wb,
               const double *restrict u, double *restrict ub, const double *restrict b, double *restrict bb, double seed)
{
    int q = 4 * m, record = 7 * m;
    double *block = malloc(((size_t)(steps + 1) * record + 2 * m + q + 2 * m * q) * sizeof *block);
    double *restrict keep = block, *restrict hb = keep + (size_t)(steps + 1) * record, *restrict cb = hb + m, *restrict gate = cb + m;
    double *restrict wt = gate + q, *restrict ut = wt + m * q;
    /* Transposed, so that sums over a row run as updates of all gates at once. */
    for (int r = 0; r < q; r++)
        for (int j = 0; j < m; j++) {
            wt[j * q + r] = w[r * m + j];
            ut[j * q + r] = u[r * m + j];
        }
    /* A record: gates i, f, o, g; c; tanh(c); h. */
    for (int j = 0; j < record; j++)
        keep[j] = 0;
    for (int t = 0; t < steps; t++) {
        const double *before = keep + t * record, *h = before + 6 * m;
        double *now = keep + (t + 1) * record;
        for (int r = 0; r < q; r++)
            gate[r] = b[r];
        for (int j = 0; j < m; j++) {
            double xj = x[t * m + j], hj = h[j];
            const double *restrict p = wt + j * q, *restrict s = ut + j * q;
            for (int r = 0; r < q; r++)
                gate[r] += p[r] * xj + s[r] * hj;
        }
        for (int j = 0; j < m; j++) {
            double i = sigmoid(gate[j]), f = sigmoid(gate[m + j]), o = sigmoid(gate[2 * m + j]), g = fast_tanh(gate[3 * m + j]);
            double c = f * before[4 * m + j] + i * g, y = fast_tanh(c);
            now[j] = i;
            now[m + j] = f;
            now[2 * m + j] = o;
            now[3 * m + j] = g;
            now[4 * m + j] = c;
            now[5 * m + j] = y;
            now[6 * m + j] = o * y;
        }
    }
    for (int j = 0; j < m; j++)
        hb[j] = cb[j] = 0;
    for (int t = steps; t-- > 0;) {
        const double *before = keep + t * record, *now = before + record, *h = before + 6 * m, *xt = x + t * m;
        for (int j = 0; j < m; j++) {
            double i = now[j], f = now[m + j], o = now[2 * m + j], g = now[3 * m + j], y = now[5 * m + j];
            double e = hb[j] + seed * (now[6 * m + j] - target[t * m + j]);
            double a = cb[j] + e * o * (1 - y * y);
            gate[j] = a * g * i * (1 - i);
            gate[m + j] = a * before[4 * m + j] * f * (1 - f);
            gate[2 * m + j] = e * y * o * (1 - o);
            gate[3 * m + j] = a * i * (1 - g * g);
            cb[j] = a * f;
            hb[j] = 0;
        }
        for (int r = 0; r < q; r++) {
            double a = gate[r];
            bb[r] += a;
            for (int j = 0; j < m; j++) {
                wb[r * m + j] += a * xt[j];
                ub[r * m + j] += a * h[j];
                hb[j] += a * u[r * m + j];
            }
        }
    }
    free(block);
}
