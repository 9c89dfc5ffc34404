//: head hmmfb(hmmfb)/(pi,A,B)
//: result double
//: arg int N = 2
//: arg int M = 3
//: arg int T = 4
//: arg double pi[2]
//: arg double A[4]
//: arg double B[6]
//: arg int obs[4] = {0, 2, 1, 0}
#include <math.h>
/* scaled forward algorithm with 2-D variable-length parameters */
double hmmfb(int N, int M, int T, const double pi[N], double A[N][N], double B[N][M], const int obs[T])
{
    double alpha[T][N], scale[T], ll = 0;
    for (int t = 0; t < T; ++t) {
        scale[t] = 0;
        for (int j = 0; j < N; ++j) {
            double a = 0;
            if (t == 0)
                a = pi[j];
            else
                for (int i = 0; i < N; ++i)
                    a += alpha[t - 1][i] * A[i][j];
            alpha[t][j] = a * B[j][obs[t]];
            scale[t] += alpha[t][j];
        }
        for (double *p = alpha[t], *e = p + N; p < e; ++p)
            *p /= scale[t];
        ll += log(scale[t]);
    }
    return ll;
}
