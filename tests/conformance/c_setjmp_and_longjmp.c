// `setjmp` and `longjmp`
// f/(x)
#include <setjmp.h>
static jmp_buf where;
double f(double x) {
  if (setjmp(where))
    return x;
  longjmp(where, 1);
}
