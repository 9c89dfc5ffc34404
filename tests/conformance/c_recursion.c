// recursion
// f/(x)
double f(int n, double x) { return n < 1 ? 1.0 : x * f(n - 1, x); }
