/* head: f(y1,y2,z3)/(a0,y1,y2,z3) */
/* options: vector */
void f(int n, double a0, double y1[n], double *y2, double *z3) {
#pragma region inner
  y2[0] = 0.3;
}
