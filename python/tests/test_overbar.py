"""The package against derivatives by hand and by differences; a minimization with SciPy."""

import os
import tempfile
import unittest

import numpy
from scipy.optimize import minimize

import overbar

ROSEN = """
double rosen(int n, const double *x) {
  double s = 0.0;
  for (int i = 0; i + 1 < n; i++) {
    double u = x[i + 1] - x[i] * x[i], v = 1.0 - x[i];
    s += 100.0 * u * u + v * v;
  }
  return s;
}
"""

MAPS = """
#include <math.h>
void map(int n, const double x[n], double t, double a[n][2]) {
  for (int i = 0; i < n; i++) {
    a[i][0] = x[i] * t;
    a[i][1] = sin(x[i]) + x[0] * t * t;
  }
}
void step(int n, float *u) {
  for (int i = 1; i < n; i++)
    u[i] = u[i] * u[i - 1];
}
"""

FORTRAN = """
module models
  implicit none
contains
  double precision function misfit(m, n, a, x)
    integer, intent(in) :: m, n
    double precision, intent(in) :: a(m, n), x(n)
    misfit = 0.5d0*sum((matmul(a, x) - 1d0)**2)
  end function misfit
end module models

subroutine scaled(n, x, s, y)
  implicit none
  integer, intent(in) :: n
  double precision, intent(in) :: x(n), s
  double precision, intent(out) :: y(0:n - 1)
  y = s*x**2
end subroutine scaled
"""

RESULTS = """
function cost(n, x) result(c)
  integer, intent(in) :: n
  double precision, intent(in) :: x(n)
  double precision :: c
  c = sum(x*sin(x))
end function cost

subroutine grow(s, steps)
  double precision, intent(inout) :: s
  integer, intent(in) :: steps
  integer :: t
  do t = 1, steps
    s = s*s
  end do
end subroutine grow
"""


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, text in [("rosen.c", ROSEN), ("maps.c", MAPS), ("models.f90", FORTRAN)]:
            with open(os.path.join(cls.folder.name, name), "w") as file:
                file.write(text)
        cls.rosen = overbar.load(cls.at("rosen.c"), "rosen/(x)")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def at(cls, name):
        return os.path.join(cls.folder.name, name)

    def near(self, found, wanted, tolerance=1e-12):
        self.assertEqual(numpy.shape(found), numpy.shape(wanted))
        self.assertTrue(numpy.allclose(found, wanted, rtol=tolerance, atol=tolerance), "{} {}".format(found, wanted))

    def test_scipy_minimizes_with_it(self):
        f = self.rosen.bind(n=6)
        start = numpy.array([1.3, 0.7, 0.8, 1.9, 1.2, 1.1])
        found = minimize(f.value_and_gradient, start, jac=True, method="BFGS")
        self.assertTrue(found.success, found.message)
        self.near(found.x, numpy.ones(6), 1e-4)
        newton = minimize(f.value, start, jac=f.gradient, hessp=lambda x, v: f.hvp(v, x), method="Newton-CG")
        self.near(newton.x, numpy.ones(6), 1e-3)

    def test_gradients_and_hessians_are_those_by_hand(self):
        x = numpy.array([0.5, -1.0, 2.0])
        by_hand = numpy.zeros(3)
        by_hand[:-1] = -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
        by_hand[1:] += 200 * (x[1:] - x[:-1] ** 2)
        self.near(self.rosen.gradient(3, x), by_hand)
        self.near(self.rosen.adjoint(2.0, 3, x), 2 * by_hand)
        hessian = numpy.array([self.rosen.hvp(unit, 3, x) for unit in numpy.eye(3)])
        d = 1200 * x**2 + 2
        wanted = numpy.array(
            [[d[0] - 400 * x[1], -400 * x[0], 0], [-400 * x[0], 200 + d[1] - 400 * x[2], -400 * x[1]], [0, -400 * x[1], 200]]
        )
        self.near(hessian, wanted)
        value, slope = self.rosen.tangent([1.0, 2.0, 3.0], 3, x)
        self.near(value, self.rosen(3, x))
        self.near(slope, by_hand @ [1.0, 2.0, 3.0])
        self.near(x, numpy.array([0.5, -1.0, 2.0]))

    def test_one_call_gives_value_and_gradient(self):
        x = numpy.array([0.5, -1.0, 2.0])
        value, gradient = self.rosen.value_and_gradient(3, x)
        self.near(value, self.rosen.value(3, x))
        self.near(gradient, self.rosen.gradient(3, x))
        # A result with a name of its own, and an output in whose place the reverse sweep has older values.
        with open(self.at("results.f90"), "w") as file:
            file.write(RESULTS)
        value, gradient = overbar.load(self.at("results.f90"), "cost/(x)").value_and_gradient(3, x)
        self.near(value, numpy.sum(x * numpy.sin(x)))
        self.near(gradient, numpy.sin(x) + x * numpy.cos(x))
        value, gradient = overbar.load(self.at("results.f90"), "grow(s)/(s)").value_and_gradient(0.5, 2)
        self.near(value, 0.5**4)
        self.near(gradient, 4 * 0.5**3)

    def test_jacobians_have_the_shapes_of_both(self):
        x = numpy.array([0.3, 0.7, 1.1])
        f = overbar.load(self.at("maps.c"), "map(a)/(x)")
        wanted = numpy.zeros((3, 2, 3))
        for i in range(3):
            wanted[i, 0, i] = 2.0
            wanted[i, 1, i] += numpy.cos(x[i])
            wanted[i, 1, 0] += 4.0
        # The output may be left out: the program declares its shape.
        self.near(f(3, x, 2.0), numpy.stack([2 * x, numpy.sin(x) + 4 * x[0]], axis=1))
        self.near(f.jacobian(n=3, x=x, t=2.0), wanted)
        self.near(f.adjoint(wanted[:, :, 1], 3, x, 2.0), numpy.tensordot(wanted[:, :, 1], wanted, 2))
        both = overbar.load(self.at("maps.c"), "map(a)/(x,t)")
        gx, gt = both.adjoint(numpy.ones((3, 2)), 3, x, 2.0)
        self.near(gx, wanted.sum(axis=(0, 1)))
        self.near(gt, x.sum() + 3 * 4.0 * x[0])

    def test_what_is_overwritten_is_a_copy(self):
        f = overbar.load(self.at("maps.c"), "step(u)/(u)")
        u = numpy.array([2.0, 3.0, 0.5], dtype=numpy.float32)
        self.near(f(3, u), numpy.array([2.0, 6.0, 3.0], dtype=numpy.float32))
        self.near(u, numpy.array([2.0, 3.0, 0.5], dtype=numpy.float32))
        self.near(f.jacobian(3, u), numpy.array([[1.0, 0, 0], [3.0, 2.0, 0], [1.5, 1.0, 6.0]]))

    def test_fortran(self):
        f = overbar.load(self.at("models.f90"), "misfit/(x)")
        a, x = numpy.array([[1.0, 2.0, 3.0], [0.0, 1.0, -1.0]]), numpy.array([0.1, 0.2, 0.3])
        self.near(f(2, 3, a, x), 0.5 * numpy.sum((a @ x - 1) ** 2))
        self.near(f.gradient(2, 3, a, x), a.T @ (a @ x - 1))
        self.near(f.hvp([1.0, 0.0, 0.0], 2, 3, a, x), (a.T @ a)[0])
        g = overbar.load(self.at("models.f90"), "scaled(y)/(x)")
        self.near(g.jacobian(2, [1.0, 2.0], 3.0), numpy.diag([6.0, 12.0]))

    def refused(self, kind, words, call):
        with self.assertRaises(kind) as found:
            call()
        self.assertIn(words, str(found.exception))

    def test_what_is_wrong_is_said(self):
        x = [1.0, 2.0, 3.0]
        f = overbar.load(self.at("maps.c"), "map(a)/(x)")
        self.refused(ValueError, "x of map has the shape (3), and (2,) was given", lambda: f(3, x[:2], 2.0))
        self.refused(ValueError, "x of map has the shape (3), and (3, 1) was given", lambda: f(3, [[1.0]] * 3, 2.0))
        self.refused(ValueError, "n of map is a whole number", lambda: f(2.5, x, 2.0))
        self.refused(ValueError, "t of map is a number", lambda: f(3, x, x))
        self.refused(ValueError, "the direction of x has the shape (3,), and (2,) was given", lambda: f.tangent([1.0, 0.0], 3, x, 2.0))
        self.refused(ValueError, "a gradient is one of a number", lambda: f.gradient(3, x, 2.0))
        self.refused(ValueError, "a Hessian is one of a number", lambda: f.hvp(x, 3, x, 2.0))
        self.refused(TypeError, "map needs its argument t", lambda: f(3, x))
        self.refused(TypeError, "map has no argument k", lambda: f.bind(k=1))
        self.refused(TypeError, "takes 2 arguments (n, x), 3 were given", lambda: self.rosen(3, x, 1.0))

    def test_programs_that_are_refused_or_missing(self):
        load = overbar.load
        self.refused(overbar.OverbarError, "there is no file none.c", lambda: load("none.c", "f/(x)"))
        with open(self.at("unknown.c"), "w") as file:
            file.write("double other(double x);\ndouble f(double x) { return other(x); }\n")
        self.refused(overbar.OverbarError, "unknown.c:2:22: error: call of other with active argument x", lambda: load(self.at("unknown.c"), "f/(x)"))
        self.refused(overbar.OverbarError, "error: `no-such-cc` is not there; install one", lambda: load(self.at("rosen.c"), "rosen/(x)", cc="no-such-cc"))
        os.environ["OVERBAR"] = "no-such-overbar"
        try:
            self.refused(overbar.OverbarError, "error: `no-such-overbar` is not there; build it", lambda: load(self.at("rosen.c"), "rosen/(x)"))
        finally:
            del os.environ["OVERBAR"]


if __name__ == "__main__":
    unittest.main()
