"""The program `overbar` and the compilers.

Lives here: processes, temporary files, shared libraries. Never here: values of arguments.
"""

import ctypes
import os
import shutil
import subprocess
import tempfile
import weakref

from ._xaif import Program

INSTALL = {
    "overbar": "build it with `cargo install --locked --path .`, or name it in the variable OVERBAR",
    "cc": "install one (Debian: apt-get install gcc libc6-dev), or name one: load(..., cc='clang')",
    "fc": "install one (Debian: apt-get install gfortran), or name one: load(..., fc='flang')",
}


class OverbarError(Exception):
    """Overbar or a compiler refuses; the text has its words."""


def _run(command, what):
    if shutil.which(command[0]) is None:
        raise OverbarError("error: `{}` is not there; {}".format(command[0], INSTALL[what]))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        raise OverbarError("`{}` fails:\n{}".format(" ".join(command), done.stderr.strip()))
    return done.stdout


class Libraries:
    """A program and its derivatives in source, XAIF and compiled; second derivatives are made when they are asked for."""

    def __init__(self, files, head, options, flags, cc, fc):
        self.overbar = os.environ.get("OVERBAR", "overbar")
        self.head, self.flags = head, flags
        self.folder = tempfile.TemporaryDirectory(prefix="overbar-")
        # Whoever forgets about a function need not hear of its folder.
        self._remove = weakref.finalize(self, self.folder.cleanup)
        for file in files:
            if not os.path.isfile(file):
                raise OverbarError("error: there is no file {}".format(os.fspath(file)))
        endings = {os.path.splitext(os.fspath(f))[1].lower() for f in files}
        self.language = "c" if endings <= {".c", ".h"} else "fortran"
        self.compiler = (cc or os.environ.get("CC", "cc")) if self.language == "c" else (fc or os.environ.get("FC", "gfortran"))
        self.include = [o for f in files for o in ("-I", os.path.dirname(os.path.abspath(f)))]
        self.include += [o for o in options if o.startswith(("-I", "-D", "-U"))]
        xaif = self._overbar("frontend", self.language, *map(os.fspath, files), *options)
        self.derived = self._overbar("boost", "-d", "-b", "--head", head, input_text=xaif)
        self.program = Program(self.derived)
        self.library = self._compiled("first", self.derived)
        self._xaif, self._second, self._with_values = xaif, None, None

    def second(self, head):
        """Tangents of adjoints: the program and its library."""
        if self._second is None:
            text = self._overbar("boost", "-d", "--head", head, input_text=self.derived)
            self._second = (Program(text), self._compiled("second", text))
        return self._second

    def with_values(self):
        """Adjoints that compute the values too: the program and its library; None where there are none."""
        if self._with_values is None:
            try:
                text = self._overbar("boost", "-b", "--with-values", "--head", self.head, input_text=self._xaif)
                self._with_values = (Program(text), self._compiled("values", text))
            except OverbarError as refused:
                if "OB4069" not in str(refused) and "OB4036" not in str(refused):
                    raise
                self._with_values = ()
        return self._with_values or None

    def _overbar(self, *words, input_text=None):
        """What a command writes; the input is handed over in a file."""
        command = [self.overbar, *words]
        if input_text is not None:
            path = os.path.join(self.folder.name, "input.xaif")
            with open(path, "w", encoding="utf-8") as file:
                file.write(input_text)
            command.append(path)
        return _run(command, "overbar")

    def _compiled(self, name, xaif):
        is_c = self.language == "c"
        path = lambda end: os.path.join(self.folder.name, name + end)
        with open(path(".xaif"), "w", encoding="utf-8") as file:
            file.write(xaif)
        source = path(".c" if is_c else ".f90")
        _run([self.overbar, "backend", self.language, path(".xaif"), "-o", source], "overbar")
        runtime = os.path.join(self.folder.name, "overbar.h" if is_c else "overbar_runtime.f90")
        with open(source, encoding="utf-8", errors="replace") as file:
            records = os.path.splitext(os.path.basename(runtime))[0] in file.read()
        if records:
            _run([self.overbar, "runtime", self.language, "-o", runtime], "overbar")
        out = path(".so")
        more = ["-I", self.folder.name, *self.include, source] if is_c else ["-J", self.folder.name, *([runtime] if records else []), source]
        link = ["-lm"] if is_c else []
        _run([self.compiler, *self.flags, "-shared", "-fPIC", *more, "-o", out, *link], "cc" if is_c else "fc")
        return ctypes.CDLL(out)

    def symbol(self, library, unit):
        """A compiled unit."""
        name = unit.name
        if self.language == "fortran":
            name = name.lower() + "_" if unit.module is None else "__{}_MOD_{}".format(unit.module.lower(), name.lower())
        try:
            return getattr(library, name)
        except AttributeError:
            raise OverbarError("error: {} cannot be called from outside of its file".format(unit.name)) from None


def load_libraries(files, head, options, flags, cc, fc):
    """A program and its derivatives, compiled."""
    return Libraries(files, head, options, flags, cc, fc)
