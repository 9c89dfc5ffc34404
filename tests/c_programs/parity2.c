//: head parity2(u)/(u)
//: arg int n = 5
//: arg int nt = 3
//: arg double u[5]
//: run nt=2
#include <stdbool.h>
void parity2(int n, int nt, double *u)
{
    double w[16];
    for (int i = 0; i < n; i++) w[i] = u[i];
    for (int t = 0; t < nt; t++) {
        const double *src = (t & 1) ? w : u;
        double *dst = (t & 1) ? u : w;
        double left = src[0];
        for (int i = 1; i < n - 1; i++) {
            const double here = src[i];
            dst[i] = here * left - 0.1 * src[i + 1];
            left = here;
        }
    }
    if (nt % 2 == 1)
        for (int i = 0; i < n; i++) u[i] = w[i];
}
