// variadic functions with active arguments
// f/(x)
double sum(int n, ...);
double f(double x) { return sum(2, x, x); }
