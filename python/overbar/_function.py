"""A function with its derivatives.

Lives here: values of arguments, their types and shapes, calls. Never here: processes and files.
"""

import ctypes

import numpy

from ._tools import OverbarError

REALS = {32: (numpy.float32, ctypes.c_float), 64: (numpy.float64, ctypes.c_double)}
INTEGERS = {8: (numpy.int8, ctypes.c_int8), 16: (numpy.int16, ctypes.c_int16), 32: (numpy.int32, ctypes.c_int32), 64: (numpy.int64, ctypes.c_int64)}
UNSIGNED = {8: (numpy.uint8, ctypes.c_uint8), 16: (numpy.uint16, ctypes.c_uint16), 32: (numpy.uint32, ctypes.c_uint32), 64: (numpy.uint64, ctypes.c_uint64)}


def _types(argument):
    table = {"real": REALS, "integer": UNSIGNED if argument.unsigned else INTEGERS}.get(argument.kind, {})
    if argument.kind == "bool":
        table = INTEGERS
    if argument.bits not in table:
        raise OverbarError("error: {} is of a type that cannot be handed over: {}".format(argument.name, argument.spelling or argument.kind))
    return table[argument.bits]


class Function:
    """A function of a C or Fortran program, with derivatives of its dependents with respect to its independents.

    Arguments are those of the program, in its order or by name. Arrays are converted and never changed. An argument that is only output may be
    left out where the program declares its shape.
    """

    def __init__(self, libraries, bound=None):
        program = libraries.program
        name = libraries.head.split("(")[0].split("/")[0].strip()
        self._libraries = libraries
        self._bound = dict(bound or {})
        self._unit = program.unit(name)
        if self._unit is None:
            raise OverbarError("error: there is no unit {}".format(name))
        self._tangent = program.unit(None, "tangent", self._unit.number)
        self._adjoint = program.unit(None, "adjoint", self._unit.number)
        self.name = self._unit.name
        self.independents = list(self._adjoint.independents)
        self._result = next((a for a in self._unit.arguments if a.is_result), None)
        # In Fortran a result may have a name of its own.
        returned = {} if self._result is None else {self._unit.name.lower(): self._result.name}
        self.dependents = [returned.get(n.lower(), n) for n in self._adjoint.dependents]
        self._formals = {a.name: a for a in self._unit.arguments if not a.is_result}
        for argument in self._unit.arguments:
            _types(argument)
        missing = [n for n in self.independents + self.dependents if n not in self._formals and (self._result is None or n != self._result.name)]
        if missing:
            raise OverbarError("error: {} is no argument of {}: shared variables cannot be handed over".format(missing[0], self.name))

    @property
    def arguments(self):
        """The names of the arguments that are not bound."""
        return [n for n in self._formals if n not in self._bound]

    def __repr__(self):
        return "<overbar {}({})/({})>".format(self.name, ",".join(self.dependents), ",".join(self.independents))

    def bind(self, **values):
        """The same function with some arguments fixed."""
        for name in values:
            if name not in self._formals:
                raise TypeError("{} has no argument {}; its arguments are {}".format(self.name, name, ", ".join(self._formals)))
        return Function(self._libraries, {**self._bound, **values})

    def value(self, *args, **named):
        """The dependents: one by itself, several as a tuple."""
        values = self._prepared(args, named)
        returned = self._call(self._libraries.library, self._unit, values, {})
        return _one([self._output(n, values, returned) for n in self.dependents])

    __call__ = value

    def tangent(self, direction, *args, **named):
        """Values and their derivatives along a direction of the independents: J v."""
        values = self._prepared(args, named)
        slopes = self._slopes(values, direction)
        returned = self._call(self._libraries.library, self._tangent, values, slopes)
        out = []
        for name in self.dependents:
            if self._result is not None and name == self._result.name:
                out.append((values[name][()], returned))
            else:
                out.append((self._output(name, values, None), _plain(slopes[name])))
        return _one([v for v, _ in out]), _one([d for _, d in out])

    def adjoint(self, weight, *args, **named):
        """The derivatives of weighted dependents with respect to the independents: w J."""
        return _one(self._weighted(self._prepared(args, named), weight))

    def gradient(self, *args, **named):
        """The gradient of the only dependent, which is a number."""
        values = self._prepared(args, named)
        if len(self.dependents) != 1 or self._shape(self.dependents[0], values) != ():
            raise ValueError("a gradient is one of a number; take jacobian, or a head with one dependent: {!r}".format(self))
        return _one(self._weighted(values, 1.0))

    def value_and_gradient(self, *args, **named):
        """Both in one call, as scipy.optimize.minimize takes them with jac=True."""
        values = self._prepared(args, named)
        if len(self.dependents) != 1 or self._shape(self.dependents[0], values) != ():
            raise ValueError("a gradient is one of a number; take jacobian, or a head with one dependent: {!r}".format(self))
        both = self._libraries.with_values()
        if both is None:
            return self.value(*args, **named), self.gradient(*args, **named)
        program, library = both
        weights = self._weights(values, 1.0)
        returned = self._call(library, program.unit(None, "adjoint", self._unit.number), {**values, **weights}, {})
        gradient = _one([_plain(weights[self._companion(n)]) for n in self.independents])
        return self._output(self.dependents[0], values, returned), gradient

    def jacobian(self, *args, **named):
        """The derivatives of the only dependent with respect to the only independent, of shape dependent.shape + independent.shape."""
        if len(self.dependents) != 1 or len(self.independents) != 1:
            raise ValueError("a Jacobian is one of a dependent and an independent; give a head with one of each: {!r}".format(self))
        values = self._prepared(args, named)
        rows, columns = self._shape(self.dependents[0], values), self._shape(self.independents[0], values)
        m, n = int(numpy.prod(rows, dtype=int)), int(numpy.prod(columns, dtype=int))
        out = numpy.zeros((m, n))
        if n <= m:
            for k, unit in enumerate(numpy.eye(n)):
                out[:, k] = numpy.ravel(self.tangent(unit.reshape(columns), *args, **named)[1])
        else:
            for k, unit in enumerate(numpy.eye(m)):
                out[k] = numpy.ravel(self._weighted(self._prepared(args, named), unit.reshape(rows))[0])
        return out.reshape(rows + columns)

    def hvp(self, direction, *args, **named):
        """The product of the Hessian with a direction, of the only dependent, which is a number."""
        values = self._prepared(args, named)
        if len(self.dependents) != 1 or self._shape(self.dependents[0], values) != ():
            raise ValueError("a Hessian is one of a number; give a head with one dependent: {!r}".format(self))
        bars = [self._companion(n) for n in self.independents]
        head = "{}({})/({})".format(self._adjoint.name, ",".join(bars), ",".join(self.independents))
        program, library = self._libraries.second(head)
        unit = program.unit(None, "tangent", self._adjoint.number)
        slopes = self._slopes(values, direction)
        weights = self._weights(values, 1.0)
        for name in self.independents:
            slopes[self._companion(name)] = numpy.zeros_like(values[name])
        self._call(library, unit, {**values, **weights}, slopes)
        return _one([_plain(slopes[b]) for b in bars])

    def _companion(self, name):
        return next(a.name for a in self._adjoint.arguments if a.of == name)

    def _shape(self, name, values):
        return () if name not in self._formals else values[name].shape

    def _prepared(self, args, named):
        """Arrays of the right types for all arguments; those of the caller are not touched."""
        free = self.arguments
        if len(args) > len(free):
            raise TypeError("{} takes {} arguments ({}), {} were given".format(self.name, len(free), ", ".join(free), len(args)))
        given = dict(zip(free, args))
        for name, value in named.items():
            if name not in free or name in given:
                raise TypeError("{} has no argument {} left; there are {}".format(self.name, name, ", ".join(free)))
            given[name] = value
        given = {**self._bound, **given}
        order = "F" if self._libraries.language == "fortran" else "C"
        out, scalars = {}, {}
        # Scalars first: extents of arrays depend on them.
        for argument in sorted(self._formals.values(), key=lambda a: not a.is_scalar):
            name, kind = argument.name, _types(argument)[0]
            shape = () if argument.is_scalar else argument.shape(scalars)
            if name not in given:
                if argument.intent not in ("out", "inout") or name in self.independents or name not in self.dependents or None in shape:
                    raise TypeError("{} needs its argument {}".format(self.name, name))
                out[name] = numpy.zeros(shape, kind, order=order)
                continue
            value = numpy.asarray(given[name])
            if argument.kind == "integer" and value.dtype.kind == "f" and numpy.any(value != numpy.trunc(value)):
                raise ValueError("{} of {} is a whole number".format(name, self.name))
            value = numpy.array(value, dtype=kind, order=order)
            if argument.is_scalar:
                if value.shape not in ((), (1,)):
                    raise ValueError("{} of {} is a number, and an array of shape {} was given".format(name, self.name, value.shape))
                value = value.reshape(())
                scalars[name] = value[()]
            elif value.ndim != len(shape) or any(s is not None and s != g for s, g in zip(shape, value.shape)):
                wanted = "({})".format(", ".join("any" if s is None else str(s) for s in shape))
                raise ValueError("{} of {} has the shape {}, and {} was given".format(name, self.name, wanted, value.shape))
            out[name] = value
        if self._result is not None:
            out[self._result.name] = numpy.zeros((), _types(self._result)[0])
        return out

    def _slopes(self, values, direction):
        """Derivatives of all arguments that have one: those of independents are the direction."""
        parts = direction if len(self.independents) > 1 else [direction]
        if len(parts) != len(self.independents):
            raise ValueError("a direction has a part for each of {}".format(", ".join(self.independents)))
        out = {a.of: numpy.zeros_like(values[a.of]) for a in self._tangent.arguments if a.of}
        for name, part in zip(self.independents, parts):
            part = numpy.asarray(part, dtype=values[name].dtype)
            if part.shape != values[name].shape:
                raise ValueError("the direction of {} has the shape {}, and {} was given".format(name, values[name].shape, part.shape))
            out[name] = numpy.array(part, order="K").reshape(values[name].shape)
            out[name] = numpy.array(out[name], order="F" if self._libraries.language == "fortran" else "C")
        return out

    def _weights(self, values, weight):
        parts = weight if len(self.dependents) > 1 else [weight]
        if len(parts) != len(self.dependents):
            raise ValueError("a weight has a part for each of {}".format(", ".join(self.dependents)))
        order = "F" if self._libraries.language == "fortran" else "C"
        out = {}
        for argument in self._adjoint.arguments:
            if argument.is_derivative:
                base = argument.of if argument.of in values else None
                out[argument.name] = numpy.zeros((), _types(argument)[0]) if base is None else numpy.zeros_like(values[base])
        for name, part in zip(self.dependents, parts):
            kind = numpy.float64 if name not in values else values[name].dtype
            part = numpy.array(part, dtype=kind, order=order)
            if part.shape != self._shape(name, values):
                raise ValueError("the weight of {} has the shape {}, and {} was given".format(name, self._shape(name, values), part.shape))
            if self._result is not None and name == self._result.name:
                bar = next(a.name for a in reversed(self._adjoint.arguments) if a.is_derivative and (a.of is None or a.of == name))
            else:
                bar = self._companion(name)
            out[bar] = part
        return out

    def _weighted(self, values, weight):
        weights = self._weights(values, weight)
        self._call(self._libraries.library, self._adjoint, {**values, **weights}, {})
        return [_plain(weights[self._companion(n)]) for n in self.independents]

    def _output(self, name, values, returned):
        if self._result is not None and name == self._result.name:
            return returned
        return _plain(values[name])

    def _call(self, library, unit, values, slopes):
        """Calls a unit; derivatives in a tangent are told by what they belong to, all else by name. What it returns."""
        routine = self._libraries.symbol(library, unit)
        routine.restype = None
        words = []
        for argument in unit.arguments:
            if argument.is_result:
                routine.restype = _types(argument)[1]
                continue
            held = slopes[argument.of] if argument.of and argument.of in slopes and unit.mode == "tangent" else values[argument.name]
            if argument.by_value:
                words.append(_types(argument)[1](held[()]))
            else:
                words.append(ctypes.c_void_p(held.ctypes.data))
        return routine(*words)


def _plain(array):
    return array[()] if array.shape == () else array


def _one(parts):
    return parts[0] if len(parts) == 1 else tuple(parts)
