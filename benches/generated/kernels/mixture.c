//: head mixture(mixture)/(alpha,mean,logsd)
//: int n = 400
//: int d = 6
//: int k = 8
//: in double x[n * d] = sin(1.3 * i) + 0.2 * cos(0.37 * i)
//: active double alpha[k] = 0.1 * cos(i)
//: active double mean[k * d] = 0.8 * sin(2.1 * i)
//: active double logsd[k * d] = 0.2 * cos(0.7 * i)
/* Log-likelihood of n points under a mixture of k Gaussians with diagonal covariances. The weights are the softmax of alpha. */
#include <math.h>
#include <stdlib.h>

static double logsumexp(int n, const double *v)
{
    double most = v[0], sum = 0;
    for (int i = 1; i < n; i++)
        if (v[i] > most)
            most = v[i];
    for (int i = 0; i < n; i++)
        sum += exp(v[i] - most);
    return most + log(sum);
}

double mixture(int n, int d, int k, const double *x, const double *alpha, const double *mean, const double *logsd)
{
    double *inverse = malloc(k * d * sizeof *inverse), *base = malloc(k * sizeof *base), *term = malloc(k * sizeof *term);
    for (int c = 0; c < k; c++) {
        base[c] = alpha[c];
        for (int j = 0; j < d; j++) {
            inverse[c * d + j] = exp(-logsd[c * d + j]);
            base[c] -= logsd[c * d + j];
        }
    }
    double likelihood = 0;
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < k; c++) {
            double square = 0;
            for (int j = 0; j < d; j++) {
                double z = (x[i * d + j] - mean[c * d + j]) * inverse[c * d + j];
                square += z * z;
            }
            term[c] = base[c] - 0.5 * square;
        }
        likelihood += logsumexp(k, term);
    }
    likelihood -= n * (logsumexp(k, alpha) + 0.5 * d * log(6.283185307179586));
    free(inverse);
    free(base);
    free(term);
    return likelihood;
}
