"""What a program in XAIF says about the arguments of its units.

Lives here: names, types, directions and shapes of arguments. Never here: values, files, processes.
"""

import re
import xml.etree.ElementTree as tree

XAIF = "{http://www.mcs.anl.gov/XAIF}"
OB = "{urn:overbar:xaif:1}"

ARITHMETIC = {
    "add_scal_scal": lambda a, b: a + b,
    "sub_scal_scal": lambda a, b: a - b,
    "mul_scal_scal": lambda a, b: a * b,
    "minus_scal": lambda a: -a,
}


class Unknown(Exception):
    """An extent that cannot be computed from the arguments."""


class Argument:
    """One argument of a unit."""

    def __init__(self, symbol, reference):
        self.name = symbol.get("symbol_id")
        self.kind = symbol.get("type")
        self.bits = int(symbol.get(OB + "bits", "0"))
        self.spelling = symbol.get(OB + "type", "")
        self.unsigned = "unsigned" in symbol.get(OB + "attributes", "").split()
        self.by_value = symbol.get(OB + "passing") == "value"
        self.of = symbol.get(OB + "derivativeOf")
        self.dimensions = [(d.find(OB + "Lower"), d.find(OB + "Upper")) for d in symbol.findall(OB + "Dim")]
        self.is_scalar = symbol.get("shape", "scalar") == "scalar"
        self.intent = reference.get("intent")
        self.is_result = reference.get(OB + "result") == "true"
        self.is_derivative = reference.get("deriv") == "1"

    def shape(self, scalars):
        """The extents by the values of scalars; None for one that the program does not declare."""
        return tuple(_extent(lower, upper, scalars) for lower, upper in self.dimensions)


def _extent(lower, upper, scalars):
    try:
        if upper is None or lower is None:
            return None
        return max(0, _value(upper, scalars) - _value(lower, scalars) + 1)
    except Unknown:
        return None


def _value(graph, scalars):
    vertices = {v.get("vertex_id"): v for v in graph if v.get("vertex_id")}
    operands = {}
    for edge in graph.findall(XAIF + "ExpressionEdge"):
        operands.setdefault(edge.get("target"), []).append((int(edge.get("position")), edge.get("source")))
    inner = {source for list_ in operands.values() for _, source in list_}
    roots = [v for v in vertices if v not in inner]
    if len(roots) != 1:
        raise Unknown

    def of(vertex):
        element = vertices[vertex]
        if element.tag == XAIF + "Constant":
            return int(element.get("value"))
        if element.tag == XAIF + "VariableReference":
            reference = element.find(XAIF + "SymbolReference")
            name = reference.get("symbol_id") if reference is not None and len(element) == 1 else None
            if name in scalars:
                return int(scalars[name])
        if element.tag == XAIF + "Intrinsic" and element.get("name") in ARITHMETIC:
            return ARITHMETIC[element.get("name")](*[of(s) for _, s in sorted(operands.get(vertex, []))])
        raise Unknown

    return of(roots[0])


class Unit:
    """A unit, and what derivative it is of which other."""

    def __init__(self, graph, scopes, module):
        self.name = graph.get("symbol_id")
        self.mode = graph.get(OB + "mode")
        self.origin = graph.get(OB + "derivedFrom")
        self.number = graph.get("vertex_id")
        self.module = module
        symbols = scopes[graph.get("controlflowgraph_scope_id")]
        references = graph.findall(XAIF + "ArgumentList/" + XAIF + "ArgumentSymbolReference")
        references.sort(key=lambda r: int(r.get("position")))
        self.arguments = [Argument(symbols[r.get("symbol_id")], r) for r in references if r.get("symbol_id") in symbols]
        # A derivative stands behind what it belongs to; in a derivative of a derivative others are arguments like all.
        for before, argument in zip([None] + self.arguments, self.arguments):
            if before is None or argument.of != before.name:
                argument.of = None
        comment = re.search(r"head \w+\(([^)]*)\)/\(([^)]*)\)", graph.get(OB + "comment", ""))
        lists = comment.groups() if comment else ("", "")
        self.dependents, self.independents = ([n.strip() for n in names.split(",") if n.strip()] for names in lists)


class Program:
    """The units of a program."""

    def __init__(self, text):
        root = tree.fromstring(text)
        self.language = (root.find(OB + "Source").get("language") if root.find(OB + "Source") is not None else "c")
        scopes = {}
        for scope in root.iter(XAIF + "Scope"):
            table = scope.find(XAIF + "SymbolTable")
            scopes[scope.get("vertex_id")] = {s.get("symbol_id"): s for s in ([] if table is None else table)}
        graphs = root.findall(XAIF + "ControlFlowGraph")
        containers = {g.get("controlflowgraph_scope_id"): g.get("symbol_id") for g in graphs if g.get(OB + "kind") == "container"}
        self.units = [Unit(g, scopes, containers.get(g.get("scope_id"))) for g in graphs if g.get(OB + "kind") != "container"]

    def unit(self, name, mode=None, origin=None):
        """The unit of that name, or the derivative of that mode of another unit; None where there is none."""
        for unit in self.units:
            named = name is not None and unit.name.lower() == name.lower() and unit.mode is None
            if named or (mode is not None and unit.mode == mode and unit.origin == origin):
                return unit
        return None
