/* What every driver hands to the checks in harness.c: the variables of a program and how its primal, a long-double
   reference, its tangent and its adjoint are called. */
#ifndef HARNESS_H
#define HARNESS_H

enum kind { KIND_INT, KIND_FLOAT, KIND_DOUBLE, KIND_LONG_DOUBLE };
enum { INDEPENDENT = 1, DEPENDENT = 2, OUTPUT = 4, BY_VALUE = 8 };

struct variable {
  const char *name;
  enum kind kind;
  int count;
  int flags;
  double low, high;     /* where the values lie */
  const double *values; /* or the values themselves */
  int same_as;          /* the variable whose memory this one shares, or -1 */
};

struct program {
  const char *name;
  const struct variable *variables;
  int variables_count;
  enum kind result; /* KIND_INT without a real result */
  int result_active;
  int loose; /* the reference is the primal itself, not in a higher precision */
  double tolerance, loose_tolerance;
  void (*primal)(void *const *v, void *r);
  void (*reference)(void *const *v, void *r);
  void (*tangent)(void *const *v, void *const *d, void *r, void *rd);
  void (*adjoint)(void *const *v, void *const *b, const void *rb);
  unsigned long (*recorded)(void);
};

/* The number of faults. */
int check_program(const struct program *p);

#endif
