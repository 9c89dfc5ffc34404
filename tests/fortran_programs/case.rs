//! What a program of this folder says of itself in comments, and the driver that follows from it.
//!
//! `! head: f(y)/(x)` opens a case. Lines behind it: `! args: n=5, x(5), y` (the arguments of the unit in order; what the head names is
//! active, other values are passive), `! kind: 4`, `! use: m`, `! decl: common /c/ g` (declarations of the driver, verbatim), `! global: g(3)`
//! (variables of modules or COMMON that the head names), `! function` (the unit is a function). A trailing `~` marks a dependent that is read as well.

use std::fmt::Write;

/// A variable of the driver.
#[derive(Clone, Debug, Default)]
pub struct Variable {
    pub name: String,
    pub dims: String,
    pub value: String,
    pub read_too: bool,
}

/// A head with what its driver needs.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub head: String,
    pub unit: String,
    pub dependents: Vec<String>,
    pub independents: Vec<String>,
    pub arguments: Vec<Variable>,
    pub globals: Vec<Variable>,
    pub kind: String,
    pub uses: Vec<String>,
    pub declarations: Vec<String>,
    pub function: bool,
}

/// The cases of a program.
pub fn cases(text: &str) -> Vec<Case> {
    let mut out: Vec<Case> = Vec::new();
    for line in text.lines().filter_map(|l| l.trim().strip_prefix("! ")) {
        if let Some(head) = line.strip_prefix("head: ") {
            let (unit, rest) = head.split_once('(').expect("a head");
            let (dependents, independents) = rest.split_once(")/(").expect("a head");
            let list = |t: &str| t.trim_end_matches(')').split(',').map(|n| n.trim().to_owned()).collect();
            out.push(Case {
                head: head.into(),
                unit: unit.into(),
                dependents: list(dependents),
                independents: list(independents),
                kind: "8".into(),
                ..Case::default()
            });
        }
        let Some(case) = out.last_mut() else { continue };
        if let Some(a) = line.strip_prefix("args: ") {
            case.arguments.extend(split(a).iter().map(|a| variable(a)));
        } else if let Some(k) = line.strip_prefix("kind: ") {
            case.kind = k.into();
        } else if let Some(u) = line.strip_prefix("use: ") {
            case.uses.push(u.into());
        } else if let Some(d) = line.strip_prefix("decl: ") {
            case.declarations.push(d.into());
        } else if let Some(g) = line.strip_prefix("global: ") {
            case.globals.extend(split(g).iter().map(|a| variable(a)));
        } else if line == "function" {
            case.function = true;
        }
    }
    out
}

/// Splits at commas outside brackets.
fn split(text: &str) -> Vec<String> {
    let (mut depth, mut out) = (0, vec![String::new()]);
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                out.push(String::new());
                continue;
            }
            _ => {}
        }
        out.last_mut().expect("one").push(c);
    }
    out.into_iter().map(|s| s.trim().to_owned()).collect()
}

fn variable(text: &str) -> Variable {
    let (left, value) = text.split_once('=').unwrap_or((text, ""));
    let (left, read_too) = left.trim().strip_suffix('~').map_or((left.trim(), false), |l| (l, true));
    let (name, dims) = left.split_once('(').map_or((left, String::new()), |(n, d)| (n, format!("({d}")));
    Variable { name: name.into(), dims, value: value.trim().into(), read_too }
}

impl Case {
    fn is_independent(&self, v: &Variable) -> bool {
        self.independents.iter().any(|n| n.eq_ignore_ascii_case(&v.name))
    }

    fn is_dependent(&self, v: &Variable) -> bool {
        self.dependents.iter().any(|n| n.eq_ignore_ascii_case(&v.name))
    }

    fn is_active(&self, v: &Variable) -> bool {
        self.is_independent(v) || self.is_dependent(v)
    }

    /// Real, so that its value is compared.
    fn is_real(&self, v: &Variable) -> bool {
        self.is_active(v)
            || v.value.is_empty()
            || v.value.trim_start_matches('[').split(',').next().is_some_and(|l| l.contains('.') && !l.contains('\''))
                && !v.value.to_lowercase().contains(".true.")
                && !v.value.to_lowercase().contains(".false.")
    }

    fn type_of(&self, v: &Variable) -> String {
        let first = v.value.trim_start_matches('[').to_lowercase();
        if self.is_real(v) {
            format!("real({})", self.kind)
        } else if first.starts_with('\'') {
            format!("character(len={})", v.value.len() - 2)
        } else if first.starts_with('.') {
            "logical".into()
        } else {
            "integer".into()
        }
    }

    /// The driver's subroutine for this case.
    pub fn driver(&self, number: usize, module: bool) -> String {
        let mut o = String::new();
        let k = &self.kind;
        let result = Variable { name: "res_".into(), ..Variable::default() };
        let all: Vec<&Variable> = self.arguments.iter().chain(&self.globals).collect();
        let independents: Vec<&Variable> = all.iter().copied().filter(|v| self.is_independent(v)).collect();
        let mut dependents: Vec<&Variable> = all.iter().copied().filter(|v| self.is_dependent(v)).collect();
        let result_counts = self.function && self.dependents.iter().any(|d| all.iter().all(|v| !v.name.eq_ignore_ascii_case(d)));
        if result_counts {
            dependents.push(&result);
        }
        let f = &self.unit;
        writeln!(o, "subroutine case_{number}(bad_q)").unwrap();
        self.uses.iter().for_each(|u| writeln!(o, "  use {u}").unwrap());
        writeln!(o, "  use overbar_runtime, only: overbar_stack_bytes\n  implicit none\n  integer :: bad_q, i_q, j_q, ni_q, nj_q, ii_q, jj_q, kk_q\n  real(8) :: h_q, cd_q, tol_q, cdtol_q").unwrap();
        self.declarations.iter().for_each(|d| writeln!(o, "  {d}").unwrap());
        for v in &self.arguments {
            writeln!(o, "  {} :: {}{}", self.type_of(v), v.name, v.dims).unwrap();
        }
        for v in all.iter().copied().chain(self.function.then_some(&result)) {
            let global = self.globals.iter().any(|g| g.name == v.name);
            if self.is_active(v) || (result_counts && v.name == "res_") {
                if !global {
                    writeln!(o, "  real({k}) :: {0}d{1}, {0}b{1}", v.name, v.dims).unwrap();
                }
                writeln!(o, "  real({k}) :: {0}_s{1}", v.name, v.dims).unwrap();
            }
            writeln!(o, "  {} :: {}_0{2}, {1}_1{2}", self.type_of(v), v.name, v.dims).unwrap();
        }
        if self.function {
            writeln!(o, "  real({k}) :: res_").unwrap();
        }
        writeln!(o, "  real(8), allocatable :: jt_q(:,:), jc_q(:,:), yp_q(:), ym_q(:)\n  real(8), external :: get{k}").unwrap();
        if !module {
            if self.function {
                writeln!(o, "  real({k}), external :: {f}, {f}_d").unwrap();
                writeln!(o, "  external :: {f}_b").unwrap();
            } else {
                writeln!(o, "  external :: {f}, {f}_d, {f}_b").unwrap();
            }
        }
        let (tol, cdtol) = if k == "4" { ("2e-5", "5e-2") } else { ("1e-12", "1e-5") };
        writeln!(o, "  tol_q = {tol}\n  cdtol_q = {cdtol}\n  h_q = {}", if k == "4" { "1e-3" } else { "1e-6" }).unwrap();
        let sum = |list: &[&Variable]| list.iter().map(|v| size(v)).collect::<Vec<_>>().join(" + ");
        writeln!(
            o,
            "  nj_q = {}\n  ni_q = {}\n  allocate(jt_q(ni_q, nj_q), jc_q(ni_q, nj_q), yp_q(ni_q), ym_q(ni_q))",
            sum(&independents),
            sum(&dependents)
        )
        .unwrap();
        // Start values.
        for (at, v) in all.iter().enumerate() {
            if !v.value.is_empty() {
                let value = if v.value.starts_with('[') && v.dims.contains(',') {
                    format!("reshape({}, shape({}_0))", v.value, v.name)
                } else {
                    v.value.clone()
                };
                writeln!(o, "  {}_0 = {value}", v.name).unwrap();
            } else {
                writeln!(
                    o,
                    "  do kk_q = 1, {}\n    call put{k}({}_0, kk_q, 0.3d0 + 0.9d0*mod(0.61803398875d0*(kk_q + 3*{at}), 1d0))\n  end do",
                    size(v),
                    v.name
                )
                .unwrap();
            }
        }
        let reset: String = all.iter().map(|v| format!("    {0} = {0}_0\n", v.name)).collect();
        let plain: Vec<String> = self.arguments.iter().map(|v| v.name.clone()).collect();
        let with = |suffix: &str| -> Vec<String> {
            self.arguments
                .iter()
                .flat_map(|v| [Some(v.name.clone()), self.is_active(v).then(|| format!("{}{suffix}", v.name))])
                .flatten()
                .collect()
        };
        let primal = if self.function { format!("res_ = {f}({})", plain.join(", ")) } else { format!("call {f}({})", plain.join(", ")) };
        let collect = |into: &str| -> String {
            let mut t = String::from("    i_q = 0\n");
            for v in &dependents {
                write!(t, "    do kk_q = 1, {}\n      i_q = i_q + 1\n      {into}(i_q) = get{k}({}, kk_q)\n    end do\n", size(v), v.name)
                    .unwrap();
            }
            t
        };
        // Reference.
        writeln!(o, "{reset}    {primal}").unwrap();
        for v in all.iter().copied().chain(self.function.then_some(&result)) {
            writeln!(o, "    {0}_1 = {0}", v.name).unwrap();
        }
        // Columns: tangents and differences.
        writeln!(o, "  j_q = 0").unwrap();
        for v in &independents {
            write!(o, "  do jj_q = 1, {}\n    j_q = j_q + 1\n{reset}", size(v)).unwrap();
            for a in all.iter().filter(|a| self.is_active(a)) {
                let seed = if self.is_independent(a) || a.read_too { "0" } else { "7.75" };
                writeln!(o, "    {}d = {seed}", a.name).unwrap();
            }
            writeln!(o, "    call put{k}({}d, jj_q, 1d0)", v.name).unwrap();
            let mut arguments = with("d");
            if self.function {
                if result_counts {
                    arguments.push("res_".into());
                }
                writeln!(o, "    {} = {f}_d({})", if result_counts { "res_d" } else { "res_" }, arguments.join(", ")).unwrap();
            } else {
                writeln!(o, "    call {f}_d({})", arguments.join(", ")).unwrap();
            }
            writeln!(o, "    i_q = 0").unwrap();
            for d in &dependents {
                writeln!(
                    o,
                    "    do kk_q = 1, {}\n      i_q = i_q + 1\n      jt_q(i_q, j_q) = get{k}({}d, kk_q)\n    end do",
                    size(d),
                    d.name
                )
                .unwrap();
            }
            for a in all.iter().copied().chain(self.function.then_some(&result)) {
                self.same(&mut o, a, &format!("{}_1", a.name), "primal result of the tangent");
            }
            for (sign, into) in [("+", "yp_q"), ("-", "ym_q")] {
                write!(o, "{reset}    call put{k}({0}, jj_q, get{k}({0}, jj_q) {sign} h_q)\n    {primal}\n{1}", v.name, collect(into))
                    .unwrap();
            }
            writeln!(o, "    jc_q(:, j_q) = (yp_q - ym_q)/(2*h_q)\n  end do").unwrap();
        }
        writeln!(o, "  do i_q = 1, ni_q\n  do j_q = 1, nj_q\n    if (.not. abs(jt_q(i_q,j_q) - jc_q(i_q,j_q)) <= cdtol_q*(1 + abs(jc_q(i_q,j_q)))) call fault(bad_q, '{}', 'tangent and difference', i_q, j_q, jt_q(i_q,j_q), jc_q(i_q,j_q))\n  end do\n  end do", self.head).unwrap();
        writeln!(o, "  if (.not. maxval(abs(jt_q)) > 0) call fault(bad_q, '{}', 'nothing depends', 0, 0, 0d0, 0d0)", self.head).unwrap();
        // Rows: adjoints.
        writeln!(o, "  i_q = 0").unwrap();
        for v in &dependents {
            write!(o, "  do ii_q = 1, {}\n    i_q = i_q + 1\n{reset}", size(v)).unwrap();
            for (at, a) in all
                .iter()
                .copied()
                .chain(result_counts.then_some(&result))
                .enumerate()
                .filter(|(_, a)| a.name == "res_" || self.is_active(a))
            {
                if dependents.iter().any(|d| d.name == a.name) {
                    writeln!(o, "    {}b = 0", a.name).unwrap();
                } else {
                    writeln!(o, "    do kk_q = 1, {}\n      call put{k}({}b, kk_q, 0.25d0*(kk_q + {at}))\n    end do", size(a), a.name)
                        .unwrap();
                }
            }
            writeln!(o, "    call put{k}({}b, ii_q, 1d0)", v.name).unwrap();
            for a in all.iter().copied().filter(|a| self.is_active(a)) {
                writeln!(o, "    {0}_s = {0}b", a.name).unwrap();
            }
            let mut arguments = with("b");
            if result_counts {
                arguments.push("res_b".into());
            }
            writeln!(o, "    call {f}_b({})\n    j_q = 0", arguments.join(", ")).unwrap();
            for a in &independents {
                let minus = if self.is_dependent(a) { String::new() } else { format!(" - get{k}({}_s, kk_q)", a.name) };
                writeln!(o, "    do kk_q = 1, {}\n      j_q = j_q + 1\n      cd_q = get{k}({}b, kk_q){minus}", size(a), a.name).unwrap();
                writeln!(o, "      if (.not. abs(cd_q - jt_q(i_q,j_q)) <= tol_q*(1 + abs(jt_q(i_q,j_q)))) call fault(bad_q, '{}', 'adjoint and tangent', i_q, j_q, cd_q, jt_q(i_q,j_q))\n    end do", self.head).unwrap();
            }
            for a in dependents.iter().filter(|a| !self.is_independent(a) && !a.read_too && a.name != "res_") {
                writeln!(o, "    do kk_q = 1, {}\n      if (.not. get{k}({1}b, kk_q) == 0) call fault(bad_q, '{2}', 'consumed {1}b', i_q, kk_q, get{k}({1}b, kk_q), 0d0)\n    end do", size(a), a.name, self.head).unwrap();
            }
            for a in &all {
                if self.is_dependent(a) || self.is_real(a) && !self.is_active(a) && a.value.is_empty() {
                    continue; // What an adjoint leaves in outputs and work arrays is not specified.
                }
                if self.type_of(a).starts_with("real") {
                    writeln!(o, "    do kk_q = 1, {0}\n      if (get{k}({1}_0, kk_q) == get{k}({1}_1, kk_q) .and. get{k}({1}, kk_q) /= get{k}({1}_0, kk_q)) call fault(bad_q, '{2}', 'input {1} changed', i_q, kk_q, get{k}({1}, kk_q), get{k}({1}_0, kk_q))\n    end do", size(a), a.name, self.head).unwrap();
                } else if !self.type_of(a).starts_with("logical") {
                    let (all_of, end) = if a.dims.is_empty() { ("", "") } else { ("all(", ")") };
                    let any = if a.dims.is_empty() { "" } else { "any(" };
                    writeln!(o, "    if ({all_of}{0}_0 == {0}_1{end} .and. {any}{0} /= {0}_0{end}) call fault(bad_q, '{1}', 'input {0} changed', i_q, 0, 0d0, 0d0)", a.name, self.head).unwrap();
                }
            }
            writeln!(
                o,
                "    if (overbar_stack_bytes() /= 0) call fault(bad_q, '{}', 'stack', i_q, 0, real(overbar_stack_bytes(), 8), 0d0)\n  end do",
                self.head
            )
            .unwrap();
        }
        writeln!(o, "end subroutine").unwrap();
        o
    }

    fn same(&self, o: &mut String, a: &Variable, with: &str, what: &str) {
        let k = &self.kind;
        if self.type_of(a).starts_with("real") {
            writeln!(o, "    do kk_q = 1, {0}\n      if (.not. abs(get{k}({1}, kk_q) - get{k}({with}, kk_q)) <= tol_q*(1 + abs(get{k}({with}, kk_q)))) call fault(bad_q, '{2}', '{what} ({1})', kk_q, jj_q, get{k}({1}, kk_q), get{k}({with}, kk_q))\n    end do", size(a), a.name, self.head).unwrap();
        } else if self.type_of(a) == "integer" {
            let (any, end) = if a.dims.is_empty() { ("", "") } else { ("any(", ")") };
            writeln!(o, "    if ({any}{} /= {with}{end}) call fault(bad_q, '{}', '{what} ({0})', 0, jj_q, 0d0, 0d0)", a.name, self.head)
                .unwrap();
        }
    }
}

fn size(v: &Variable) -> String {
    if v.dims.is_empty() { "1".into() } else { format!("size({}_0)", v.name) }
}

/// The driver of a program.
pub fn program(cases: &[Case], module: bool) -> String {
    let mut o = String::from("program driver\n  implicit none\n  integer :: bad_q\n  bad_q = 0\n");
    for i in 0..cases.len() {
        writeln!(o, "  call case_{i}(bad_q)").unwrap();
    }
    o.push_str("  if (bad_q > 0) stop 1\n  print '(a)', 'ok'\nend program\n");
    for (i, c) in cases.iter().enumerate() {
        o.push_str(&c.driver(i, module || !c.uses.is_empty()));
    }
    for k in ["4", "8", "16"] {
        write!(
            o,
            "function get{k}(a, k) result(v)\n  implicit none\n  real({k}) :: a(*)\n  integer :: k\n  real(8) :: v\n  v = real(a(k), 8)\nend function\n\
             subroutine put{k}(a, k, v)\n  implicit none\n  real({k}) :: a(*)\n  integer :: k\n  real(8) :: v\n  a(k) = real(v, {k})\nend subroutine\n"
        )
        .unwrap();
    }
    o.push_str(
        "subroutine fault(bad, head, what, i, j, got, wanted)\n  implicit none\n  character(len=*) :: head, what\n  integer :: bad, i, j\n  \
         real(8) :: got, wanted\n  bad = bad + 1\n  if (bad < 8) print *, head, ': ', what, i, j, got, wanted\nend subroutine\n",
    );
    o
}
