//: head logistic(logistic)/(weight,bias)
//: int n = 1500
//: int d = 12
//: in double penalty = 0.01
//: in double x[n * d] = sin(1.3 * i)
//: int label[n] = (i * 5) % 3 == 0
//: active double weight[d] = 0.3 * cos(i)
//: active double bias = 0.1
/* Logistic regression: mean log-loss over n samples, with a quadratic penalty. */
#include <math.h>

static double softplus(double z)
{
    if (z > 0)
        return z + log1p(exp(-z));
    return log1p(exp(z));
}

double logistic(int n, int d, double penalty, const double *x, const int *label, const double *weight, double bias)
{
    double loss = 0, square = 0;
    for (int i = 0; i < n; i++) {
        double score = bias;
        for (int j = 0; j < d; j++)
            score += weight[j] * x[i * d + j];
        loss += softplus(label[i] ? -score : score);
    }
    for (int j = 0; j < d; j++)
        square += weight[j] * weight[j];
    return loss / n + 0.5 * penalty * square;
}
