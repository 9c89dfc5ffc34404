/* A scatter; the product itself is not needed. */
void sparse_hand(int n, int each, const int *restrict start, const int *restrict column, const double *restrict value, double *restrict valueb,
                 const double *restrict x, double *restrict xb, double *restrict y, double *restrict yb)
{
    for (int i = 0; i < n; i++) {
        double g = yb[i];
        yb[i] = 0;
        for (int k = start[i]; k < start[i + 1]; k++) {
            int c = column[k];
            valueb[k] += g * x[c];
            xb[c] += g * value[k];
        }
    }
}
