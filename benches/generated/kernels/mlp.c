//: head mlp(mlp)/(w1,b1,w2,b2)
//: int n = 64
//: int d = 16
//: int m = 32
//: int k = 10
//: in double x[n * d] = sin(1.1 * i)
//: int label[n] = (i * 7) % k
//: active double w1[m * d] = 0.3 * sin(1.7 * i)
//: active double b1[m] = 0.05 * i / m
//: active double w2[k * m] = 0.4 * cos(2.9 * i)
//: active double b2[k] = 0.1 * cos(i)
/* Mean cross entropy of a classifier with one hidden layer of tanh units and a softmax. */
#include <math.h>

static void dense(int rows, int columns, const double *w, const double *b, const double *x, double *y)
{
    for (int r = 0; r < rows; r++) {
        y[r] = b[r];
        for (int c = 0; c < columns; c++)
            y[r] += w[r * columns + c] * x[c];
    }
}

static double cross_entropy(int k, const double *y, int label)
{
    double most = y[0], sum = 0;
    for (int i = 1; i < k; i++)
        most = fmax(most, y[i]);
    for (int i = 0; i < k; i++)
        sum += exp(y[i] - most);
    return most + log(sum) - y[label];
}

double mlp(int n, int d, int m, int k, const double *x, const int *label, const double *w1, const double *b1, const double *w2, const double *b2)
{
    double hidden[m], y[k], loss = 0;
    for (int i = 0; i < n; i++) {
        dense(m, d, w1, b1, x + i * d, hidden);
        for (int j = 0; j < m; j++)
            hidden[j] = tanh(hidden[j]);
        dense(k, m, w2, b2, hidden, y);
        loss += cross_entropy(k, y, label[i]);
    }
    return loss / n;
}
