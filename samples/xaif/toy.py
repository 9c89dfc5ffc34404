#!/usr/bin/env python3
"""A front end for a toy language: reads a program, writes XAIF. It uses nothing but what docs/xaif.md says.

    python3 toy.py cost.toy 'cost(c)/(x)' | overbar boost -d -b | overbar backend c -o cost.c

The language has units, numbers, arrays that begin at 0, assignments, counted loops, and calls:

    unit wave(t) -> w           arguments in, results out
    unit cost(n: int, x[n]) -> c
      for i = 0, n - 1          both bounds belong to it
      wave(x[i], y)             a call; variables that are not declared are numbers of the unit
    end                         of a loop, or of a unit
"""
import ast
import re
import sys
from xml.sax.saxutils import quoteattr

OPERATIONS = {ast.Add: "add_scal_scal", ast.Sub: "sub_scal_scal", ast.Mult: "mul_scal_scal", ast.Div: "div_scal_scal"}
FUNCTIONS = {"sin": "sin_scal", "cos": "cos_scal", "exp": "exp_scal", "log": "ln_scal", "sqrt": "sqrt_scal"}


def tag(element, /, **attributes):
    return f"<{element} " + " ".join(f"{k.replace('ob_', 'ob:')}={quoteattr(str(v))}" for k, v in attributes.items())


class Unit:
    def __init__(self, number, name, arguments, result):
        self.number, self.name, self.scope = number, name, number + 1
        self.symbols, self.body, self.edges, self.vertices, self.statements = {}, [], [], 0, 0
        self.arguments = [a.strip() for a in arguments.split(",")] + [result]
        self.result = result
        for a in self.arguments:
            base, _, extent = a.replace("]", "").partition("[")
            name, _, kind = base.partition(":")
            self.symbols[name.strip()] = (kind.strip() == "int", extent, "argument")
        self.arguments = list(self.symbols)

    def reference(self, e):
        """A variable or an element."""
        name = e.value.id if isinstance(e, ast.Subscript) else e.id
        self.symbols.setdefault(name, (False, "", "local"))
        text = tag("xaif:SymbolReference", vertex_id=1, symbol_id=name, scope_id=self.scope) + "/>"
        if isinstance(e, ast.Subscript):
            text += '<xaif:ArrayElementReference vertex_id="2"><xaif:IndexTriplet><xaif:Index>' + self.expression(e.slice)
            text += "</xaif:Index></xaif:IndexTriplet></xaif:ArrayElementReference>"
            text += '<xaif:VariableReferenceEdge edge_id="1" source="1" target="2"/>'
        return text

    def expression(self, e):
        """A term graph: vertices first, then the edges from operands to what they are operands of; the first vertex is the root."""
        vertices, edges = [], []

        def vertex(e):
            at = len(vertices) + 1
            vertices.append("")
            if isinstance(e, ast.Constant):
                kind = "integer" if isinstance(e.value, int) else "real"
                vertices[at - 1] = tag("xaif:Constant", vertex_id=at, type=kind, value=e.value, ob_bits=32 if kind == "integer" else 64) + "/>"
                return at
            if isinstance(e, (ast.Name, ast.Subscript)):
                vertices[at - 1] = tag("xaif:VariableReference", vertex_id=at) + ">" + self.reference(e) + "</xaif:VariableReference>"
                return at
            if isinstance(e, ast.Compare):
                vertices[at - 1] = tag("xaif:BooleanOperation", vertex_id=at, name="less_or_equal") + "/>"
                operands = [e.left, *e.comparators]
            elif isinstance(e, ast.BinOp):
                name, operands = OPERATIONS[type(e.op)], [e.left, e.right]
            elif isinstance(e, ast.UnaryOp):
                name, operands = "minus_scal", [e.operand]
            else:
                name, operands = FUNCTIONS[e.func.id], e.args
            vertices[at - 1] = vertices[at - 1] or tag("xaif:Intrinsic", vertex_id=at, name=name) + "/>"
            for position, operand in enumerate(operands, 1):
                edges.append((vertex(operand), at, position))
            return at

        vertex(e)
        lines = [tag("xaif:ExpressionEdge", edge_id=k, source=s, target=t, position=p) + "/>" for k, (s, t, p) in enumerate(edges, 1)]
        return "".join(vertices + lines)

    def assignment(self, name, left, right):
        self.statements += 1
        left = "<xaif:AssignmentLHS>" + self.reference(left) + "</xaif:AssignmentLHS>"
        return tag(f"xaif:{name}", statement_id=self.statements) + f">{left}<xaif:AssignmentRHS>{self.expression(right)}</xaif:AssignmentRHS></xaif:{name}>"

    def call(self, callee, arguments):
        self.statements += 1
        text = tag("xaif:SubroutineCall", statement_id=self.statements, symbol_id=callee, scope_id=1, formalArgCount=len(arguments)) + ">"
        for k, a in enumerate(arguments, 1):
            text += f'<xaif:Argument position="{k}"><xaif:VariableReference vertex_id="1">{self.reference(a)}</xaif:VariableReference></xaif:Argument>'
        return text + "</xaif:SubroutineCall>"

    def vertex(self, name, inside="", behind=None, value=None, **attributes):
        """A vertex of the control-flow graph behind another one."""
        self.vertices += 1
        self.body.append(tag(f"xaif:{name}", vertex_id=self.vertices, **attributes) + f">{inside}</xaif:{name}>")
        if behind:
            self.edge(behind, self.vertices, value)
        return self.vertices

    def edge(self, source, target, value=None):
        taken = {} if value is None else {"has_condition_value": "true", "condition_value": value}
        self.edges.append(tag("xaif:ControlFlowEdge", edge_id=len(self.edges) + 1, source=source, target=target, **taken) + "/>")

    def sequence(self, lines, at, value=None):
        """The statements up to the end of this level, behind vertex `at`; the last vertex, and the value of the edge that leaves it."""
        for line in lines:
            words = line.split("#")[0].strip()
            if words == "end":
                break
            if loop := re.fullmatch(r"for (\w+) = (.*), (.*)", words):
                index, first, last = (ast.parse(p, mode="eval").body for p in loop.groups())
                self.symbols[index.id] = (True, "", "local")
                follow = ast.BinOp(index, ast.Add(), ast.Constant(1))
                test = self.expression(ast.Compare(index, [ast.LtE()], [last]))
                head = self.assignment("Initialization", index, first) + f"<xaif:Condition>{test}</xaif:Condition>" + self.assignment("Update", index, follow)
                at = self.vertex("ForLoop", head, at, value, reversal="anonymous", ob_counted="true")
                end, leaving = self.sequence(lines, at, 1)
                self.edge(self.vertex("EndLoop", "", end, leaving), at)
            elif words:
                statement = ast.parse(words).body[0]
                if isinstance(statement, ast.Assign):
                    text = self.assignment("Assignment", statement.targets[0], statement.value)
                else:
                    text = self.call(statement.value.func.id, statement.value.args)
                    self.calls.add(statement.value.func.id)
                at = self.vertex("BasicBlock", text, at, value, scope_id=self.scope)
            else:
                continue
            value = None
        return at, value

    def translate(self, lines):
        self.calls = set()
        entry = self.vertex("Entry")
        self.vertex("Exit", "", *self.sequence(lines, entry))
        return self

    def table(self):
        text = ""
        for name, (integer, extent, storage) in self.symbols.items():
            kind = {"type": "integer", "ob_bits": 32} if integer else {"type": "real", "ob_bits": 64}
            passing = {"ob_passing": "value"} if storage == "argument" and not extent and name != self.result else {}
            shape = {"shape": "vector"} if extent else {}
            text += tag("xaif:Symbol", symbol_id=name, kind="variable", ob_storage=storage, **kind, **shape, **passing)
            if extent:
                upper = self.expression(ast.parse(extent + " - 1", mode="eval").body)
                lower = '<xaif:Constant vertex_id="1" type="integer" value="0" ob:bits="32"/>'
                text += f"><ob:Dim><ob:Lower>{lower}</ob:Lower><ob:Upper>{upper}</ob:Upper></ob:Dim></xaif:Symbol>"
            else:
                text += "/>"
        return text

    def graph(self):
        text = tag("xaif:ControlFlowGraph", vertex_id=self.number, symbol_id=self.name, scope_id=1, controlflowgraph_scope_id=self.scope)
        text += "><xaif:ArgumentList>"
        for k, a in enumerate(self.arguments, 1):
            intent = "out" if a == self.result else "in"
            text += tag("xaif:ArgumentSymbolReference", position=k, symbol_id=a, scope_id=self.scope, intent=intent) + "/>"
        return text + "</xaif:ArgumentList>" + "".join(self.body + self.edges) + "</xaif:ControlFlowGraph>\n"


def main(path, head):
    units, lines = [], iter(open(path))
    for line in lines:
        if found := re.match(r"unit (\w+)\((.*)\) -> (\w+)", line):
            units.append(Unit(len(units) + 1, *found.groups()).translate(lines))
    unit, dependents, independents = re.fullmatch(r"(\w+)\((.*)\)/\((.*)\)", head).groups()
    names = lambda text: "".join(tag("ob:Name", name=n) + "/>" for n in text.split(","))
    scope = lambda number, symbols: f'<xaif:Scope vertex_id="{number}"><xaif:SymbolTable>{symbols}</xaif:SymbolTable></xaif:Scope>\n'
    number = {u.name: u.number for u in units}
    calls = [(u.number, number[c]) for u in units for c in sorted(u.calls)]
    print('<?xml version="1.0" encoding="UTF-8"?>')
    print('<xaif:CallGraph xmlns:xaif="http://www.mcs.anl.gov/XAIF" xmlns:ob="urn:overbar:xaif:1" program_name="toy" prefix="ob_" ob:version="1" ob:indexOrder="row">')
    print(f'<ob:Head unit="{unit}"><ob:Dependents>{names(dependents)}</ob:Dependents><ob:Independents>{names(independents)}</ob:Independents></ob:Head>')
    print("<xaif:ScopeHierarchy>" + scope(1, "".join(tag("xaif:Symbol", symbol_id=u.name, kind="subroutine", type="void") + "/>" for u in units)))
    print("".join(scope(u.scope, u.table()) for u in units))
    print("".join(tag("xaif:ScopeEdge", edge_id=u.number, source=u.scope, target=1) + "/>" for u in units) + "</xaif:ScopeHierarchy>")
    print('<xaif:AliasSetMap><xaif:AliasSet key="0"/></xaif:AliasSetMap><xaif:DUUDSetMap><xaif:StmtIdSet key="0"/></xaif:DUUDSetMap>')
    print('<xaif:DOSetMap><xaif:StmtIdSet key="0"/></xaif:DOSetMap>')
    print("".join(u.graph() for u in units))
    print("".join(tag("xaif:CallGraphEdge", edge_id=k, source=s, target=t) + "/>" for k, (s, t) in enumerate(calls, 1)) + "</xaif:CallGraph>")


if __name__ == "__main__":
    main(*sys.argv[1:])
