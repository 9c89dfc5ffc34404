//: head gotoerr(out)/(a,b)
//: result int
//: arg int n = 3
//: arg double a[3]
//: arg double b[3]
//: arg out double out[2]
#include <stdlib.h>
#include <stdio.h>
#include <errno.h>
#include <math.h>
int gotoerr(int n, const double *a, const double *b, double *out)
{
    int rc = -1;
    double *w = NULL;
    double acc = 0.0;
    out[0] = out[1] = 0.0;
    if (n <= 0) {
        errno = EINVAL;
        goto done;
    }
    w = malloc((size_t)n * sizeof(double));
    if (!w) {
        perror("gotoerr");
        goto done;
    }
    for (int i = 0; i < n; i++) {
        if (a[i] < -1.0) {
            fprintf(stderr, "element %d is negative: %g\n", i, a[i]);
            rc = i;
            goto cleanup;
        }
        w[i] = sqrt(a[i]) * b[i];
    }
    for (int i = 0; i < n; i++)
        acc += w[i] * w[(i + 1) % n];
    out[0] = acc;
    out[1] = log1p(acc);
    rc = 0;
cleanup:
    free(w);
done:
    return rc;
}
