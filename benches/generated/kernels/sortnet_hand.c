#include <stdlib.h>

/* Only the permutation matters: numbers travel through the network with their values, which turns the way back into one scatter. The exchanges are
   selections and not branches. */
void sortnet_hand(int rows, int n, const double *restrict x, double *restrict xb, const double *restrict weight, double seed)
{
    double *restrict v = malloc(n * (sizeof *v + sizeof(long)));
    long *restrict from = (long *)(v + n);
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < n; i++) {
            v[i] = x[r * n + i];
            from[i] = i;
        }
        for (int size = 2; size <= n; size *= 2)
            for (int gap = size / 2; gap > 0; gap /= 2)
                for (int start = 0; start < n; start += 2 * gap) {
                    double *restrict p = v + start, *restrict q = p + gap;
                    long *restrict f = from + start, *restrict g = f + gap;
                    int up = (start & size) == 0;
                    for (int i = 0; i < gap; i++) {
                        double a = p[i], b = q[i];
                        long s = f[i], t = g[i];
                        int swap = up ? a > b : b > a;
                        p[i] = swap ? b : a;
                        q[i] = swap ? a : b;
                        f[i] = swap ? t : s;
                        g[i] = swap ? s : t;
                    }
                }
        for (int i = 0; i < n; i++)
            xb[r * n + from[i]] += 2 * seed * weight[i] * v[i];
    }
    free(v);
}
