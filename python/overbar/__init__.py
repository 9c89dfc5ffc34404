"""Derivatives of C and Fortran functions, called with NumPy arrays.

    f = overbar.load("cost.c", "cost/(x)")
    f.gradient(n=3, x=[1.0, 2.0, 3.0])

`load` differentiates the file with the program `overbar`, compiles what comes out and calls it by ctypes.
"""

from ._function import Function
from ._tools import OverbarError, load_libraries

__all__ = ["Function", "OverbarError", "load"]


def load(files, head, options=(), flags=("-O2",), cc=None, fc=None):
    """The function that `head` names, with its derivatives.

    files    a file of C or Fortran, or a list of files of one program
    head     `unit(dependents)/(independents)`; either list may be left out
    options  more options of `overbar frontend`, such as ["-I", "include"]
    flags    options of the compiler
    cc, fc   the compilers; `cc` and `gfortran` if left out
    """
    if isinstance(files, (str, bytes)) or hasattr(files, "__fspath__"):
        files = [files]
    return Function(load_libraries(list(files), head, list(options), list(flags), cc, fc))
