//: head rows_crossing(y)/(x)
//: arg int n = 4
//: arg double x[20]
//: arg double y[20]
/* Each row goes one element into the next one: no rows. */
void rows_crossing(int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++)
            if (i * n + j + 1 < n * n)
                y[i * n + j + 1] = y[i * n + j] * x[i * n + j] + x[j];
}
