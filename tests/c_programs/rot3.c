//: head rot3(rot3)/(x)
//: result double
//: arg int n = 4
//: arg int nt = 4
//: arg double x[4]
//: run nt=5
//: run nt=6
/* three time levels in three arrays that take turns */
double rot3(int n, int nt, const double *x)
{
    double A[8], B[8], C[8];
    double *p0 = A, *p1 = B, *p2 = C;
    for (int i = 0; i < n; i++) { p0[i] = x[i]; p1[i] = x[i] * x[i]; p2[i] = 0; }
    for (int t = 0; t < nt; t++) {
        for (int i = 0; i < n; i++)
            p2[i] = p1[i] * p0[(i + 1) % n] - 0.5 * p0[i];
        double *tmp = p0;
        p0 = p1;
        p1 = p2;
        p2 = tmp;
    }
    double s = 0, *q = p1;
    for (int i = 0; i < n; i++) s += *q++ * (i + 1);
    return s;
}
