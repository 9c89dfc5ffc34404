/* Pushes values of all types over several blocks and pops them; two files share one stack. */
#include "overbar.h"
#include <limits.h>
#include <stdbool.h>

void push_elsewhere(double x);

#define CHECK(condition)                                     \
  do {                                                       \
    if (!(condition)) {                                      \
      printf("line %d: %s\n", __LINE__, #condition);         \
      return 1;                                              \
    }                                                        \
  } while (0)

int main(int argc, char **argv) {
  if (argc > 1 && argv[1][0] == 'u') {
    ob_push_int(1);
    (void)ob_pop_int();
    return ob_pop_int();
  }
  if (argc > 1 && argv[1][0] == 'm') {
    volatile size_t many = ((size_t)-1 >> 4) - 4096;
    static double x[2];
    ob_push_double_array(x, many);
    return 0;
  }
  for (int round = 0; round < 3; round++) {
    enum { COUNT = 30011 };
    static double big[20000], back[20000];
    for (int i = 0; i < 20000; i++)
      big[i] = i * 0.5;
    for (int i = 0; i < COUNT; i++) {
      ob_push_double(i);
      ob_push_float(0.5f * i);
      ob_push_char('a');
      ob_push_unsigned_short((unsigned short)i);
      ob_push_int(-i);
      ob_push_unsigned_long_long(1ULL << (i % 64));
      ob_push_bool(i % 3 == 0);
      ob_push_long_double(i / 3.0L);
      if (i % 1000 == 0)
        ob_push_double_array(big, 20000 - i % 7);
      if (i % 500 == 0)
        ob_push_float_array((const float[3]){1, 2, (float)i}, 3);
      ob_push_double_array(big, 0);
    }
    size_t bytes = ob_stack_bytes();
    CHECK(bytes >= (size_t)COUNT * 72);
    push_elsewhere(3.25);
    CHECK(ob_stack_bytes() == bytes + 8);
    CHECK(ob_pop_double() == 3.25);
    for (int i = COUNT - 1; i >= 0; i--) {
      float f[3];
      ob_pop_double_array(back, 0);
      if (i % 500 == 0) {
        ob_pop_float_array(f, 3);
        CHECK(f[0] == 1 && f[2] == (float)i);
      }
      if (i % 1000 == 0) {
        ob_pop_double_array(back, 20000 - i % 7);
        CHECK(memcmp(back, big, (20000 - i % 7) * sizeof *big) == 0);
      }
      CHECK(ob_pop_long_double() == i / 3.0L);
      CHECK(ob_pop_bool() == (i % 3 == 0));
      CHECK(ob_pop_unsigned_long_long() == 1ULL << (i % 64));
      CHECK(ob_pop_int() == -i);
      CHECK(ob_pop_unsigned_short() == (unsigned short)i);
      CHECK(ob_pop_char() == 'a');
      CHECK(ob_pop_float() == 0.5f * i);
      CHECK(ob_pop_double() == i);
    }
    CHECK(ob_stack_bytes() == 0);
    CHECK(ob_stack_peak() == bytes + 8);
  }
  ob_stack_free();
  CHECK(ob_stack_peak() == 0);
  CHECK(ob_modulo(-5.5, 3) == 0.5 && ob_modulo(5.5, -3) == -0.5);
  CHECK(ob_modulo_int(-5, 3) == 1 && ob_modulo_int(5, -3) == -1 && ob_modulo_int(-6, 3) == 0);
  CHECK(ob_modulo_int(LLONG_MIN, -1) == 0 && ob_modulo_int(LLONG_MIN, 3) == 1);
  CHECK(ob_power_int(3, 4) == 81 && ob_power_int(-2, 3) == -8 && ob_power_int(2, -1) == 0 && ob_power_int(-1, -3) == -1);
  CHECK(ob_sign_int(-3, 0) == 3 && ob_sign_int(3, -1) == -3);
  puts("good");
  return 0;
}
