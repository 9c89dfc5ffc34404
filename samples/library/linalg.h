/* A library and its derivatives, both written by hand. */
#ifndef LINALG_H
#define LINALG_H

double dot(int n, const double *x, const double *y);
double dot_d(int n, const double *x, const double *xd, const double *y, const double *yd, double *value);
void dot_b(int n, const double *x, double *xb, const double *y, double *yb, double valueb);

/* y = y + a*x, rows of a one after the other */
void gemv(int m, int n, const double *a, const double *x, double *y);
void gemv_d(int m, int n, const double *a, const double *ad, const double *x, const double *xd, double *y, double *yd);
void gemv_b(int m, int n, const double *a, double *ab, const double *x, double *xb, double *yb);

#endif
