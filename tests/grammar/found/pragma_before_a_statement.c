/* head: f(y0,y1)/(y0,y1) */
/* The statement behind another tool's pragma had no derivative. */
void f(int n, double *y0, double *y1, double a2) {
  double t0 = -0.4 + y1[1];
#pragma GCC diagnostic push
  y0[1] = 0.3;
}
