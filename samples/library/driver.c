/* Tangent against differences, adjoint against the tangent (dot-product identity to rounding). Head: misfit(misfit)/(a,p,d,w) */
#include <math.h>
#include <stdio.h>

double misfit(int m, int n, const double a[], const double p[], const double d[], double w, double r[]);
double misfit_d(int m, int n, const double a[], const double ad[], const double p[], const double pd[], const double d[], const double dd[],
                double w, double wd, double r[], double *value);
void misfit_b(int m, int n, const double a[], double ab[], const double p[], double pb[], const double d[], double db[], double w, double *wb,
              double r[], double valueb);

enum { M = 5, N = 3 };

static void fill(int n, double *v, int k) {
  for (int i = 0; i < n; i++) {
    v[i] = sin(1.7 * (i + 1) + 0.9 * k);
  }
}

int main(void) {
  double a[M * N], p[N], d[M], ad[M * N], pd[N], dd[M], ab[M * N] = {0}, pb[N] = {0}, db[M] = {0}, r[M];
  double w = 0.3, wd = -0.7, wb = 0.0, value, weight = 1.3, h = 1e-6;
  fill(M * N, a, 1), fill(N, p, 2), fill(M, d, 3), fill(M * N, ad, 4), fill(N, pd, 5), fill(M, dd, 6);
  double slope = misfit_d(M, N, a, ad, p, pd, d, dd, w, wd, r, &value);
  if (fabs(value - misfit(M, N, a, p, d, w, r)) > 1e-14 * fabs(value)) {
    return 1;
  }
  double sides[2];
  for (int k = 0; k < 2; k++) {
    double s = k == 0 ? -h : h, a1[M * N], p1[N], d1[M];
    for (int i = 0; i < M * N; i++) a1[i] = a[i] + s * ad[i];
    for (int i = 0; i < N; i++) p1[i] = p[i] + s * pd[i];
    for (int i = 0; i < M; i++) d1[i] = d[i] + s * dd[i];
    sides[k] = misfit(M, N, a1, p1, d1, w + s * wd, r);
  }
  double difference = (sides[1] - sides[0]) / (2 * h);
  if (fabs(difference - slope) > 1e-7 * fabs(slope)) {
    return 2;
  }
  misfit_b(M, N, a, ab, p, pb, d, db, w, &wb, r, weight);
  double right = wb * wd;
  for (int i = 0; i < M * N; i++) right += ab[i] * ad[i];
  for (int i = 0; i < N; i++) right += pb[i] * pd[i];
  for (int i = 0; i < M; i++) right += db[i] * dd[i];
  printf("<yb, J xd> = %.16e   <J^T yb, xd> = %.16e\n", weight * slope, right);
  return fabs(right - weight * slope) > 1e-13 * fabs(right) ? 3 : 0;
}
