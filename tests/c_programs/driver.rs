//! The small language of the `//:` lines at the head of each program, and the C driver that is made from them. No checks live
//! here: those are in `harness.c`.
//!
//!     //: head f(y)/(x,a)         what is differentiated; the file is named like the unit
//!     //: result double           the function's own result
//!     //: arg int n = 5           in the order of the parameters; real values lie between 0.2 and 1 unless said
//!     //: arg double x[5] = 0.5:2
//!     //: arg int k[3] = {2,0,1}
//!     //: arg rows double a[4][3] a pointer to pointers to the rows
//!     //: arg out double y[5]     written completely, never read before: its adjoint is zero in the end
//!     //: global double g[3]      a variable with external linkage
//!     //: same y x                y is called with the memory of x (made with --may-overlap)
//!     //: run n=0                 once more with other integers (the first run is as declared)
//!     //: loose                   differences of the program itself, not of a version in long double
//!     //: tolerance 1e-4          of adjoint against tangent

use std::fmt::Write;
use std::path::Path;

/// The functions of math.h.
const FUNCTIONS: &str = "acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ldexp log log10 log1p \
    log2 logb modf scalbn cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint round lround trunc fmod \
    remainder copysign nextafter fdim fmax fmin fma";

/// An argument or a global variable.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: String,
    pub count: Option<usize>,
    /// How long the rows are of an array that comes as pointers to them.
    pub row: Option<usize>,
    pub values: String,
    pub out: bool,
    pub global: bool,
    pub same: Option<String>,
}

/// A program of the collection.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub name: String,
    pub head: String,
    pub result: Option<String>,
    pub variables: Vec<Variable>,
    pub runs: Vec<Vec<(String, String)>>,
    pub loose: bool,
    pub tolerance: Option<String>,
    pub text: String,
}

impl Case {
    /// Reads a program's `//:` lines.
    pub fn read(path: &Path) -> Case {
        let text = std::fs::read_to_string(path).expect("readable");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut case = Case { name, runs: vec![Vec::new()], ..Case::default() };
        for line in text.lines().filter_map(|l| l.strip_prefix("//: ")) {
            let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
            match key {
                "head" => case.head = rest.to_string(),
                "result" => case.result = Some(rest.to_string()),
                "arg" | "global" => case.variables.push(variable(rest, key == "global")),
                "same" => {
                    let (a, b) = rest.split_once(' ').expect("two names");
                    let v = case.variables.iter_mut().find(|v| v.name == a).expect("declared");
                    v.same = Some(b.to_string());
                }
                "run" => {
                    let pairs = rest.split_whitespace().map(|p| p.split_once('=').expect("name=value"));
                    case.runs.push(pairs.map(|(a, b)| (a.to_string(), b.to_string())).collect());
                }
                "loose" => case.loose = true,
                "tolerance" => case.tolerance = Some(rest.to_string()),
                _ => panic!("{}: what is {key}?", path.display()),
            }
        }
        assert!(!case.head.is_empty(), "{}: no head", path.display());
        case.text = text;
        case
    }

    /// What its adjoint is asked for with, besides the head.
    pub fn options(&self) -> &'static [&'static str] {
        if self.variables.iter().any(|v| v.same.is_some()) { &["--may-overlap"] } else { &[] }
    }

    /// Whether a variable is a dependent, an independent.
    fn named(&self, name: &str) -> (bool, bool) {
        self.listed(name, false)
    }

    /// The same for its memory.
    fn shared(&self, name: &str) -> (bool, bool) {
        self.listed(name, true)
    }

    fn listed(&self, name: &str, memory: bool) -> (bool, bool) {
        let (dependents, independents) = self.head.split_once('/').expect("unit(dependents)/(independents)");
        let has = |list: &str| {
            let list = list.split_once('(').map_or(list, |(_, l)| l).trim_end_matches(')');
            // Memory that two variables share is what either of them is.
            let shared = |n: &str| memory && self.variables.iter().any(|v| v.name == n && v.same.as_deref() == Some(name));
            list.split(',').any(|n| n == name || shared(n))
        };
        (has(dependents), has(independents))
    }

    /// The function as it is in a version of the program that computes in long double.
    pub fn reference(&self) -> String {
        if self.loose {
            return "typedef int nothing;\n".into();
        }
        let mut out = String::from(
            "#include <math.h>\n#include <stdlib.h>\n#include <stdio.h>\n#include <string.h>\n#include <stdbool.h>\n\
             #include <float.h>\n#include <limits.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <assert.h>\n\
             typedef long double wide_real;\n#define double wide_real\n#define float wide_real\n",
        );
        for f in FUNCTIONS.split_whitespace() {
            let _ = writeln!(out, "#define {f} {f}l\n#define {f}f {f}l");
        }
        let _ = writeln!(out, "#define {0} reference_{0}", self.name);
        for g in self.variables.iter().filter(|v| v.global) {
            let _ = writeln!(out, "#define {0} reference_{0}", g.name);
        }
        let _ = writeln!(out, "#include \"{}.c\"", self.name);
        out
    }

    /// The driver. `included` is what declares the primal and its derivatives.
    pub fn driver(&self, included: &str) -> String {
        let mut out = format!("{included}#include \"overbar.h\"\n#include \"harness.h\"\n#include <string.h>\n\n");
        let wide = |ty: &str| if ty == "int" { "int" } else { "long double" }.to_string();
        if !self.loose {
            let list: Vec<String> = self
                .variables
                .iter()
                .filter(|v| !v.global)
                .map(|v| if v.count.is_some() { "void *".to_string() } else { wide(&v.ty) })
                .collect();
            let list = if list.is_empty() { "void".to_string() } else { list.join(", ") };
            let result = self.result.as_deref().map_or("void".to_string(), wide);
            let _ = writeln!(out, "{result} reference_{}({list});", self.name);
            for g in self.variables.iter().filter(|v| v.global) {
                let _ = writeln!(out, "extern {} reference_{};", wide(&g.ty), shaped(g));
            }
        }
        self.call(&mut out, "primal", "void *const *v, void *r");
        if !self.loose {
            self.call(&mut out, "reference", "void *const *v, void *r");
        }
        self.call(&mut out, "tangent", "void *const *v, void *const *d, void *r, void *rd");
        self.call(&mut out, "adjoint", "void *const *v, void *const *b, const void *rb");
        let _ = writeln!(out, "static unsigned long recorded(void) {{ return (unsigned long)ob_stack_bytes(); }}");
        self.table(&mut out);
        out
    }

    /// One of the four functions that call the program.
    fn call(&self, out: &mut String, what: &str, formals: &str) {
        let is_reference = what == "reference";
        let _ = writeln!(out, "static void {what}({formals}) {{");
        let unused: &[&str] = match what {
            "tangent" => &["v", "d", "r", "rd"],
            "adjoint" => &["v", "b", "rb"],
            _ => &["v", "r"],
        };
        for u in unused {
            let _ = writeln!(out, "  (void){u};");
        }
        let mut before = String::new();
        let mut after = String::new();
        let mut args: Vec<String> = Vec::new();
        for (i, v) in self.variables.iter().enumerate() {
            let (dependent, independent) = self.named(&v.name);
            let active = dependent || independent;
            let companion = match what {
                "tangent" if active => Some(("d", "d")),
                "adjoint" if active => Some(("b", "b")),
                _ => None,
            };
            if v.global {
                let target = if is_reference { format!("reference_{}", v.name) } else { v.name.clone() };
                let _ = writeln!(before, "  memcpy(&{target}, v[{i}], sizeof {target});");
                let _ = writeln!(after, "  memcpy(v[{i}], &{target}, sizeof {target});");
                if let Some((suffix, set)) = companion {
                    let _ = writeln!(before, "  memcpy(&{target}{suffix}, {set}[{i}], sizeof {target}{suffix});");
                    let _ = writeln!(after, "  memcpy({set}[{i}], &{target}{suffix}, sizeof {target}{suffix});");
                }
                continue;
            }
            let ty = if is_reference && v.ty != "int" { "long double" } else { &v.ty };
            match v.count {
                Some(_) => args.push(memory(v, ty, &format!("v[{i}]"))),
                None => args.push(format!("*({ty} *)v[{i}]")),
            }
            if let Some((_, set)) = companion {
                match v.count {
                    None if what == "tangent" => args.push(format!("*({ty} *){set}[{i}]")),
                    _ => args.push(memory(v, ty, &format!("{set}[{i}]"))),
                }
            }
        }
        let active = self.named(&self.name).0;
        let mut target = String::new();
        if let Some(result) = &self.result {
            let ty = if is_reference && result != "int" { "long double" } else { result };
            match what {
                "tangent" if active => {
                    args.push("r".into());
                    target = format!("*({ty} *)rd = ");
                }
                "adjoint" if active => args.push(format!("*(const {ty} *)rb")),
                "adjoint" => {}
                _ => target = format!("*({ty} *)r = "),
            }
        }
        let name = match what {
            "primal" => self.name.clone(),
            "reference" => format!("reference_{}", self.name),
            "tangent" => format!("{}_d", self.name),
            _ => format!("{}_b", self.name),
        };
        let _ = writeln!(out, "{before}  {target}{name}({});\n{after}}}", args.join(", "));
    }

    fn table(&self, out: &mut String) {
        let kind = |ty: &str| match ty {
            "int" => "KIND_INT",
            "float" => "KIND_FLOAT",
            "double" => "KIND_DOUBLE",
            _ => "KIND_LONG_DOUBLE",
        };
        let single = self.variables.iter().any(|v| v.ty == "float");
        let tolerance = self.tolerance.clone().unwrap_or(if single { "1e-4" } else { "1e-12" }.into());
        let difference = if single {
            "1e-3"
        } else if self.loose {
            "1e-7"
        } else {
            "1e-9"
        };
        let _ = writeln!(out, "int test_{}(void);\nint test_{0}(void) {{\n  int faults = 0;", self.name);
        for (k, run) in self.runs.iter().enumerate() {
            for (i, v) in self.variables.iter().enumerate() {
                let set = run.iter().find(|(name, _)| *name == v.name).map(|(_, value)| format!("{{{value}}}"));
                let list = set.or_else(|| match v.values.as_str() {
                    "" => None,
                    text if text.starts_with('{') => Some(text.to_string()),
                    text if !text.contains(':') => Some(format!("{{{text}}}")),
                    _ => None,
                });
                if let Some(list) = list {
                    let _ = writeln!(out, "  static const double values_{k}_{i}[] = {list};");
                }
                assert!(v.ty != "int" || v.values.starts_with(|c: char| c == '{' || c == '-' || c.is_ascii_digit()), "{v:?}");
            }
            let _ = writeln!(out, "  static const struct variable variables_{k}[] = {{");
            for (i, v) in self.variables.iter().enumerate() {
                let (dependent, independent) = self.shared(&v.name);
                let listed = run.iter().any(|(name, _)| *name == v.name) || (!v.values.is_empty() && !v.values.contains(':'));
                let (low, high) = v.values.split_once(':').unwrap_or(("0.2", "1"));
                let flags = i32::from(independent)
                    + 2 * i32::from(dependent)
                    + 4 * i32::from(v.out)
                    + 8 * i32::from(v.count.is_none() && !v.global);
                let same = v.same.as_ref().map_or(-1, |s| self.variables.iter().position(|w| w.name == *s).expect("declared") as i32);
                let values = if listed { format!("values_{k}_{i}") } else { "0".into() };
                let _ = writeln!(
                    out,
                    "    {{\"{}\", {}, {}, {flags}, {low}, {high}, {values}, {same}}},",
                    v.name,
                    kind(&v.ty),
                    v.count.unwrap_or(1)
                );
            }
            let _ =
                writeln!(out, "  }};\n  static const struct program p_{k} = {{\"{}\", variables_{k}, {},", self.name, self.variables.len());
            let result = self.result.as_deref().map_or("KIND_INT", kind);
            let active = i32::from(self.named(&self.name).0);
            let reference = if self.loose { "0" } else { "reference" };
            let _ = writeln!(
                out,
                "    {result}, {active}, {}, {tolerance}, {difference}, primal, {reference}, tangent, adjoint, recorded}};",
                i32::from(self.loose)
            );
            let _ = writeln!(out, "  faults += check_program(&p_{k});");
        }
        let _ = writeln!(out, "  return faults;\n}}");
    }
}

/// The memory of an array as it is passed.
fn memory(v: &Variable, ty: &str, place: &str) -> String {
    match (v.row, v.count) {
        (Some(length), Some(count)) => {
            let rows: Vec<String> = (0..count / length).map(|k| format!("({ty} *){place} + {}", k * length)).collect();
            format!("(void *)({ty} *[]){{{}}}", rows.join(", "))
        }
        _ => place.to_string(),
    }
}

fn shaped(v: &Variable) -> String {
    v.count.map_or(v.name.clone(), |n| format!("{}[{n}]", v.name))
}

/// `out double x[5] = 0.5:2`
fn variable(text: &str, global: bool) -> Variable {
    let (text, out) = text.strip_prefix("out ").map_or((text, false), |t| (t, true));
    let (text, rows) = text.strip_prefix("rows ").map_or((text, false), |t| (t, true));
    let (declaration, values) = text.split_once('=').map_or((text, ""), |(a, b)| (a.trim(), b.trim()));
    let (ty, name) = declaration.trim().rsplit_once(' ').expect("a type and a name");
    let (name, counts) = match name.split_once('[') {
        Some((n, c)) => (n, c.trim_end_matches(']').split("][").map(|c| c.parse().expect("a count")).collect::<Vec<usize>>()),
        None => (name, Vec::new()),
    };
    let row = counts.last().copied().filter(|_| rows);
    let count = (!counts.is_empty()).then(|| counts.iter().product());
    Variable { name: name.into(), ty: ty.into(), count, row, values: values.into(), out, global, same: None }
}
