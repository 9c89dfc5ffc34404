//: head vlalate(vlalate)/(x)
//: result double
//: arg int n = 3
//: arg double x[3]
double vlalate(int n, const double *x)
{
    int m = n * 2 + 1;
    double w[m];
    double tot = 0;
    for (int i = 0; i < m; i++)
        w[i] = x[i % n] * (i + 1);
    int cnt = 0;
    for (int i = 0; i < m; i++)
        if (i % 2 == 0) cnt++;
    double v[cnt];
    for (int i = 0, j = 0; i < m; i++)
        if (i % 2 == 0) v[j++] = w[i] * w[i];
    for (int i = 0; i < cnt; i++)
        tot += v[i] * v[(i + 1) % cnt];
    double q[n][n + 1];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++)
            q[i][j] = tot * x[i] + v[j % cnt];
    double r = 0;
    for (int i = 0; i < n; i++)
        r += q[i][i] * q[i][i + 1];
    return r;
}
