//: head rowswap(rowswap)/(u)
//: result double
//: arg int n = 5
//: arg int nt = 3
//: arg double u[5]
//: run nt=2
/* two time levels in one array; rows exchange roles through pointers */
double rowswap(int n, int nt, const double *u)
{
    double buf[2][16];
    double *old = buf[0], *new = buf[1];
    for (int i = 0; i < n; i++)
        old[i] = new[i] = u[i];
    for (int t = 0; t < nt; t++) {
        for (int i = 1; i < n - 1; i++)
            new[i] = old[i] + 0.1 * (old[i - 1] * old[i + 1] - old[i]);
        double *tmp = old;
        old = new;
        new = tmp;
    }
    double s = 0;
    for (int i = 0; i < n; i++)
        s += old[i] * old[i];
    return s;
}
