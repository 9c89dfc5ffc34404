#include <math.h>
#include <stdlib.h>

/* The adjoint of log-sum-exp is the softmax, which the way forward has at hand: each point is done with before the next one. */
void mixture_hand(int n, int d, int k, const double *restrict x, const double *restrict alpha, double *restrict alphab,
                  const double *restrict mean, double *restrict meanb, const double *restrict logsd, double *restrict logsdb, double seed)
{
    double *block = malloc((2 * k * d + 3 * k) * sizeof *block);
    double *restrict inverse = block, *restrict z = inverse + k * d, *restrict base = z + k * d, *restrict term = base + k,
           *restrict total = term + k;
    double most = alpha[0], sum = 0;
    for (int c = 0; c < k; c++) {
        double b = alpha[c];
        for (int j = 0; j < d; j++) {
            inverse[c * d + j] = exp(-logsd[c * d + j]);
            b -= logsd[c * d + j];
        }
        base[c] = b;
        total[c] = 0;
        most = alpha[c] > most ? alpha[c] : most;
    }
    for (int i = 0; i < n; i++) {
        const double *restrict p = x + i * d;
        double top = -INFINITY, s = 0;
        for (int c = 0; c < k; c++) {
            double square = 0;
            for (int j = 0; j < d; j++) {
                double t = (p[j] - mean[c * d + j]) * inverse[c * d + j];
                z[c * d + j] = t;
                square += t * t;
            }
            term[c] = base[c] - 0.5 * square;
            top = term[c] > top ? term[c] : top;
        }
        for (int c = 0; c < k; c++) {
            term[c] = exp(term[c] - top);
            s += term[c];
        }
        s = seed / s;
        for (int c = 0; c < k; c++) {
            double r = term[c] * s;
            total[c] += r;
            for (int j = 0; j < d; j++) {
                double t = r * z[c * d + j];
                meanb[c * d + j] += t * inverse[c * d + j];
                logsdb[c * d + j] += t * z[c * d + j];
            }
        }
    }
    for (int c = 0; c < k; c++) {
        term[c] = exp(alpha[c] - most);
        sum += term[c];
        for (int j = 0; j < d; j++)
            logsdb[c * d + j] -= total[c];
    }
    for (int c = 0; c < k; c++)
        alphab[c] += total[c] - seed * n * term[c] / sum;
    free(block);
}
