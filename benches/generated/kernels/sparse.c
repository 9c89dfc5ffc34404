//: head sparse(y)/(value,x)
//: int n = 5000
//: int each = 9
//: int start[(n + 1)] = each * i
//: int column[each * n] = (i / each * 3 + (i % each) * (i % each) * 11 + i % each) % n
//: active double value[each * n] = cos(0.3 * i)
//: active double x[n] = sin(0.7 * i)
//: out double y[n]
/* Product of a sparse matrix in compressed rows with a vector. */

void sparse(int n, int each, const int *start, const int *column, const double *value, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = start[i]; k < start[i + 1]; k++)
            y[i] += value[k] * x[column[k]];
    }
}
