//: head translated(x)/(a,b)
//: arg int n = 3
//: arg double a[16]
//: arg double b[4]
//: arg double x[4]
#include <math.h>

/* A triangular system, as a translator from Fortran writes it: all variables static, arrays shifted. */
typedef int integer;
typedef double doublereal;

static int solve_(integer *n, doublereal *a, doublereal *b, doublereal *x)
{
    /* System generated locals */
    integer a_dim1, a_offset, i__1, i__2;
    doublereal d__1;
    /* Local variables */
    static integer i__, j;
    static doublereal s;
    /* Parameter adjustments */
    a_dim1 = *n;
    a_offset = 1 + a_dim1;
    a -= a_offset;
    --b;
    --x;
    /* Function Body */
    i__1 = *n;
    for (i__ = 1; i__ <= i__1; ++i__) {
	s = b[i__];
	i__2 = i__ - 1;
	for (j = 1; j <= i__2; ++j) {
	    s -= a[i__ + j * a_dim1] * x[j];
/* L10: */
	}
	d__1 = a[i__ + i__ * a_dim1] + 2.;
	x[i__] = s / d__1;
/* L20: */
    }
    return 0;
} /* solve_ */

void translated(int n, double *a, double *b, double *x) {
  solve_(&n, a, b, x);
}
