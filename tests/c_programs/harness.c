/* The checks: tangent against differences of a long-double reference, adjoint against tangent, and the contract of generated
   code (increments, consumed adjoints, untouched inputs, results, an empty stack). */
#include "harness.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double wide;

enum { MOST = 16 };

static size_t size_of(enum kind k) {
  switch (k) {
  case KIND_INT: return sizeof(int);
  case KIND_FLOAT: return sizeof(float);
  case KIND_DOUBLE: return sizeof(double);
  default: return sizeof(wide);
  }
}

static void put(void *memory, enum kind k, int i, wide value) {
  switch (k) {
  case KIND_INT: ((int *)memory)[i] = (int)value; break;
  case KIND_FLOAT: ((float *)memory)[i] = (float)value; break;
  case KIND_DOUBLE: ((double *)memory)[i] = (double)value; break;
  default: ((wide *)memory)[i] = value;
  }
}

static wide get(const void *memory, enum kind k, int i) {
  switch (k) {
  case KIND_INT: return ((const int *)memory)[i];
  case KIND_FLOAT: return ((const float *)memory)[i];
  case KIND_DOUBLE: return ((const double *)memory)[i];
  default: return ((const wide *)memory)[i];
  }
}

static unsigned long state = 12345;

static wide uniform(void) {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  return (wide)(state >> 33) / (wide)(1UL << 31);
}

/* Each program has numbers of its own, whatever others are tested before. */
static void begin(const char *name) {
  static const char *last = "";
  if (strcmp(last, name) == 0)
    return;
  last = name;
  state = 12345;
  for (; *name; name++)
    state = (state ^ (unsigned char)*name) * 1099511628211UL;
}

/* One set of the program's variables, in its own precision or a wide one. */
struct set {
  void *memory[MOST];
  char result[32];
};

static enum kind kind_in(const struct program *p, int v, int is_wide) {
  enum kind k = p->variables[v].kind;
  return is_wide && k != KIND_INT ? KIND_LONG_DOUBLE : k;
}

/* Each variable in a block of its own and exactly as long as it is, so that the sanitizer sees every step outside. */
static void make(const struct program *p, struct set *s, int is_wide) {
  memset(s, 0, sizeof *s);
  for (int v = 0; v < p->variables_count; v++) {
    const struct variable *x = &p->variables[v];
    if (x->same_as >= 0)
      s->memory[v] = s->memory[x->same_as];
    else
      s->memory[v] = calloc(x->count > 0 ? (size_t)x->count : 1, size_of(kind_in(p, v, is_wide)));
  }
}

static void drop(const struct program *p, struct set *s) {
  for (int v = 0; v < p->variables_count; v++)
    if (p->variables[v].same_as < 0)
      free(s->memory[v]);
}

static void fill(const struct program *p, struct set *s, int is_wide, wide *const *values) {
  for (int v = 0; v < p->variables_count; v++)
    for (int i = 0; i < p->variables[v].count && p->variables[v].same_as < 0; i++)
      put(s->memory[v], kind_in(p, v, is_wide), i, values[v][i]);
}

static int faults;
static const struct program *present;

static void compare(const char *what, const char *name, int i, wide found, wide expected, double tolerance) {
  wide scale = fabsl(expected) > 1 ? fabsl(expected) : 1;
  if (fabsl(found - expected) <= tolerance * scale)
    return;
  if (isnan((double)found) && isnan((double)expected))
    return;
  if (++faults <= 12)
    printf("%s: %s of %s[%d] is %.17Lg, not %.17Lg\n", present->name, what, name, i, found, expected);
}

/* A dependent's number: variables first, the result last. */
static int rows(const struct program *p, int flag) {
  int n = 0;
  for (int v = 0; v < p->variables_count; v++)
    if (p->variables[v].flags & flag && p->variables[v].same_as < 0)
      n += p->variables[v].count;
  return n;
}

static void gather(const struct program *p, const struct set *s, int is_wide, wide *row) {
  int n = 0;
  for (int v = 0; v < p->variables_count; v++)
    if (p->variables[v].flags & DEPENDENT && p->variables[v].same_as < 0)
      for (int i = 0; i < p->variables[v].count; i++)
        row[n++] = get(s->memory[v], kind_in(p, v, is_wide), i);
  if (p->result_active)
    row[n++] = get(s->result, is_wide ? KIND_LONG_DOUBLE : p->result, 0);
}

static const char *row_name(const struct program *p, int r, int *index) {
  for (int v = 0; v < p->variables_count; v++)
    if (p->variables[v].flags & DEPENDENT && p->variables[v].same_as < 0) {
      if (r < p->variables[v].count) {
        *index = r;
        return p->variables[v].name;
      }
      r -= p->variables[v].count;
    }
  *index = 0;
  return "the result";
}

/* The run-time support ends the program where the stack is wrong. */
static void aborted(int number) {
  (void)number;
  printf("%s: aborted\n", present->name);
  fflush(stdout);
  signal(SIGABRT, SIG_DFL);
}

int check_program(const struct program *p) {
  wide *values[MOST];
  struct set s, d, t;
  int m = rows(p, DEPENDENT) + !!p->result_active, n = rows(p, INDEPENDENT), column = 0;
  wide *jacobian = calloc((size_t)(m * n) + 1, sizeof *jacobian);
  wide *low = calloc((size_t)m + 1, sizeof *low), *high = calloc((size_t)m + 1, sizeof *high);
  wide *base = calloc((size_t)m + 1, sizeof *base);
  int wide_reference = !p->loose;
  wide step = p->loose ? 1e-5L : 1e-6L;
  faults = 0;
  begin(p->name);
  present = p;
  signal(SIGABRT, aborted);
  for (int v = 0; v < p->variables_count; v++) {
    const struct variable *x = &p->variables[v];
    values[v] = calloc((size_t)x->count + 1, sizeof **values);
    for (int i = 0; i < x->count; i++) {
      wide value = x->values ? (wide)x->values[i] : x->low + (x->high - x->low) * uniform();
      values[v][i] = x->kind == KIND_FLOAT ? (wide)(float)value : (wide)(double)value;
      if (x->same_as >= 0)
        values[v][i] = values[x->same_as][i];
    }
  }
  /* the primal */
  make(p, &s, 0);
  fill(p, &s, 0, values);
  p->primal(s.memory, s.result);
  gather(p, &s, 0, base);
  int written[MOST];
  for (int v = 0; v < p->variables_count; v++) {
    written[v] = 0;
    for (int i = 0; i < p->variables[v].count; i++)
      written[v] |= get(s.memory[v], p->variables[v].kind, i) != values[v][i];
  }
  /* the tangent, a column at a time */
  for (int v = 0; v < p->variables_count; v++) {
    if (!(p->variables[v].flags & INDEPENDENT) || p->variables[v].same_as >= 0)
      continue;
    for (int i = 0; i < p->variables[v].count; i++, column++) {
      wide kept = values[v][i];
      for (int side = 0; side < 2; side++) {
        values[v][i] = kept + (side ? step : -step);
        make(p, &t, wide_reference);
        fill(p, &t, wide_reference, values);
        (p->loose ? p->primal : p->reference)(t.memory, t.result);
        gather(p, &t, wide_reference, side ? high : low);
        drop(p, &t);
      }
      values[v][i] = kept;
      make(p, &t, 0);
      make(p, &d, 0);
      fill(p, &t, 0, values);
      for (int w = 0; w < p->variables_count; w++)
        if (p->variables[w].flags & OUTPUT && !(p->variables[w].flags & INDEPENDENT))
          for (int k = 0; k < p->variables[w].count; k++)
            put(d.memory[w], p->variables[w].kind, k, 7.5L);
      put(d.memory[v], p->variables[v].kind, i, 1);
      p->tangent(t.memory, d.memory, t.result, d.result);
      wide *tangent = calloc((size_t)m + 1, sizeof *tangent);
      gather(p, &d, 0, tangent);
      for (int r = 0; r < m; r++) {
        int index;
        const char *name = row_name(p, r, &index);
        compare("tangent", name, index, tangent[r], (high[r] - low[r]) / (2 * step), p->loose_tolerance);
        jacobian[r * n + column] = tangent[r];
      }
      free(tangent);
      for (int w = 0; w < p->variables_count; w++)
        if (!(p->variables[w].flags & BY_VALUE))
          for (int k = 0; k < p->variables[w].count; k++)
            compare("f_d's value", p->variables[w].name, k, get(t.memory[w], p->variables[w].kind, k),
                    get(s.memory[w], p->variables[w].kind, k), 1e-13);
      if (p->result != KIND_INT)
        compare("f_d's value", "the result", 0, get(t.result, p->result, 0), get(s.result, p->result, 0), 1e-13);
      drop(p, &t);
      drop(p, &d);
    }
  }
  /* the adjoint: seeds everywhere, twice, so that nothing may be left behind */
  for (int round = 0; round < 2; round++) {
    int r = 0;
    wide *seeds = calloc((size_t)m + 1, sizeof *seeds);
    wide *before[MOST];
    make(p, &t, 0);
    make(p, &d, 0);
    fill(p, &t, 0, values);
    for (int v = 0; v < p->variables_count; v++) {
      const struct variable *x = &p->variables[v];
      before[v] = calloc((size_t)x->count + 1, sizeof **before);
      for (int i = 0; i < x->count; i++) {
        wide seed = x->flags & (INDEPENDENT | DEPENDENT) && x->same_as < 0 ? (wide)(float)(2 * uniform() - 1) : 0;
        before[v][i] = seed;
        if (x->same_as < 0)
          put(d.memory[v], x->kind, i, seed);
        if (x->flags & DEPENDENT && x->same_as < 0)
          seeds[r++] = seed;
      }
    }
    if (p->result_active) {
      seeds[r] = (wide)(float)(2 * uniform() - 1);
      put(d.result, p->result, 0, seeds[r]);
    }
    p->adjoint(t.memory, d.memory, d.result);
    column = 0;
    for (int v = 0; v < p->variables_count; v++) {
      const struct variable *x = &p->variables[v];
      if (x->same_as >= 0)
        continue;
      if (x->flags & INDEPENDENT) {
        for (int i = 0; i < x->count; i++, column++) {
          wide expected = x->flags & DEPENDENT ? 0 : before[v][i];
          for (int k = 0; k < m; k++)
            expected += seeds[k] * jacobian[k * n + column];
          compare("adjoint", x->name, i, get(d.memory[v], x->kind, i), expected, p->tolerance);
        }
      } else if (x->flags & DEPENDENT && x->flags & OUTPUT) {
        for (int i = 0; i < x->count; i++)
          compare("what is left of the adjoint", x->name, i, get(d.memory[v], x->kind, i), 0, 0);
      }
      if (!written[v])
        for (int i = 0; i < x->count; i++)
          compare("f_b's value of the input", x->name, i, get(t.memory[v], x->kind, i), values[v][i], 0);
    }
    if (p->recorded() != 0 && ++faults <= 12)
      printf("%s: %lu bytes are left on the stack\n", p->name, p->recorded());
    for (int v = 0; v < p->variables_count; v++)
      free(before[v]);
    free(seeds);
    drop(p, &t);
    drop(p, &d);
  }
  drop(p, &s);
  for (int v = 0; v < p->variables_count; v++)
    free(values[v]);
  free(jacobian);
  free(low);
  free(high);
  free(base);
  return faults;
}
