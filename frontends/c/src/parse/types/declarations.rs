//! Declarations: specifiers and declarators to types.
//!
//! Lives here: reading a type out of the tree, enumerators. Never here: what a declared name is translated to.

use super::record_definitions::record_tag;
use crate::parse::context::state::{Binding, Lower};
use crate::parse::context::terms::integer;
use crate::parse::language::types::{CType, Extent, Parameter, Pointee, Signature};
use crate::parse::text::refusals::{DECLARATION, RECORD, Refusal, Res, TYPE, refuse};
use lang_c::ast::{
    ArraySize, DeclarationSpecifier as S, Declarator, DeclaratorKind, DerivedDeclarator, Ellipsis, EnumType, Expression, FunctionSpecifier,
    PointerQualifier, SpecifierQualifier, StorageClassSpecifier, TypeName, TypeQualifier, TypeSpecifier as T,
};
use lang_c::span::{Node, Span};
use smol_str::{SmolStr, format_smolstr};
use std::rc::Rc;
use xaif::model::{Decl, Storage, Symbol};

/// What the specifiers of a declaration say.
#[derive(Clone, Debug)]
pub(crate) struct Specified {
    pub ty: CType,
    /// The type as it was spelled.
    pub text: SmolStr,
    pub constant: bool,
    pub volatile: bool,
    /// The first enumerator of an `enum`, under its own name or another one; empty where it is not known.
    pub enumerated: Option<SmolStr>,
    pub typedef: bool,
    pub external: bool,
    pub fixed: bool,
    pub thread_local: bool,
    pub inline: bool,
}

/// A declared name with its type.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub name: SmolStr,
    /// Bytes of the name.
    pub place: (usize, usize),
    pub ty: CType,
    /// The object itself (or the elements of the array) may not be written.
    pub constant: bool,
    pub restrict: bool,
}

/// More derived parts than this are no type that anybody wrote.
const MAX_DERIVED: usize = 32;

/// The attribute of an enumerator, and of a variable of its type, that says which enumeration it is.
pub(crate) fn enumeration_of(first: &str) -> SmolStr {
    format_smolstr!("of:{first}")
}

/// The tag of an enumeration, which is no identifier on its own.
fn tag(e: &EnumType) -> Option<SmolStr> {
    e.identifier.as_ref().map(|i| format_smolstr!("enum {}", i.node.name))
}

#[derive(Default)]
struct Counts {
    long: u8,
    short: bool,
    int: bool,
    char: bool,
    signed: bool,
    unsigned: bool,
    float: bool,
    double: bool,
}

impl Lower<'_> {
    /// Reads the specifiers of a declaration.
    pub fn specifiers(&mut self, list: &[Node<S>], place: Span) -> Res<Specified> {
        let mut out = Specified {
            ty: CType::INT,
            text: SmolStr::default(),
            constant: false,
            volatile: false,
            enumerated: None,
            typedef: false,
            external: false,
            fixed: false,
            thread_local: false,
            inline: false,
        };
        let mut types = Vec::new();
        for s in list {
            match &s.node {
                S::StorageClass(c) => match c.node {
                    StorageClassSpecifier::Typedef => out.typedef = true,
                    StorageClassSpecifier::Extern => out.external = true,
                    StorageClassSpecifier::Static => out.fixed = true,
                    StorageClassSpecifier::ThreadLocal => out.thread_local = true,
                    _ => {}
                },
                S::TypeSpecifier(t) => types.push(t),
                S::TypeQualifier(q) => match q.node {
                    TypeQualifier::Const => out.constant = true,
                    TypeQualifier::Volatile => out.volatile = true,
                    TypeQualifier::Atomic => return refuse(TYPE, q, "atomic objects are not supported"),
                    _ => {}
                },
                S::Function(f) => out.inline |= f.node == FunctionSpecifier::Inline,
                S::Alignment(_) | S::Extension(_) => {}
            }
        }
        let (ty, constant) = self.base_type(&types, place)?;
        out.ty = ty;
        out.constant |= constant;
        out.enumerated = types.iter().find_map(|t| match &t.node {
            T::Enum(e) => Some(self.first_enumerator(&e.node)),
            T::TypedefName(name) => match self.find(&name.node.name) {
                Some(Binding::Typedef { enumerated, .. }) => enumerated.clone(),
                _ => None,
            },
            _ => None,
        });
        out.enumerated = out.enumerated.filter(|_| !self.is_local(&types));
        out.text = match &out.ty {
            // The name stands for the dimensions too, which declarations spell out.
            CType::Array(..) | CType::Pointer(_) => out.ty.element().spelling(),
            ty => self.spelled(&types, ty),
        };
        Ok(out)
    }

    /// Whether a type is defined in the function itself: derivative code does not know its name.
    fn is_local(&self, types: &[&Node<T>]) -> bool {
        let local = |name: &str| matches!(self.find(name), Some(Binding::Typedef { local: true, .. }));
        types.iter().any(|t| match &t.node {
            T::Enum(e) => tag(&e.node).map_or(self.body.is_some(), |tag| local(&tag)),
            // One without a name is known by its text, wherever it stands.
            T::Struct(s) => record_tag(&s.node).is_none_or(|tag| local(&tag)),
            T::TypedefName(name) => local(&name.node.name),
            _ => false,
        })
    }

    /// The type as derivative code spells it.
    pub fn spelled(&self, types: &[&Node<T>], ty: &CType) -> SmolStr {
        if let Some(text) = self.record_of(ty).and_then(|r| r.text.clone()).filter(|_| self.is_local(types)) {
            return text;
        }
        if types.iter().any(|t| matches!(t.node, T::TypeOf(_))) {
            return self.record_text(ty);
        }
        if self.is_local(types) {
            return ty.spelling();
        }
        let words: Vec<&str> = types
            .iter()
            .filter_map(|t| match &t.node {
                // A type that is defined on the spot is known by its tag from here on.
                T::Struct(s) => s.node.identifier.as_ref().map(|i| i.node.name.as_str()),
                T::Enum(e) => Some(e.node.identifier.as_ref().map_or("int", |i| i.node.name.as_str())),
                _ => self.text.get(t.span.start..t.span.end),
            })
            .collect();
        let head = match types.first().map(|t| &t.node) {
            Some(T::Struct(s)) if s.node.kind.node == lang_c::ast::StructKind::Union => "union ",
            Some(T::Struct(_)) => "struct ",
            Some(T::Enum(e)) if e.node.identifier.is_some() => "enum ",
            _ => "",
        };
        format_smolstr!("{head}{}", words.join(" "))
    }

    /// The type that specifiers name, and whether it is const.
    pub fn base_type(&mut self, types: &[&Node<T>], place: Span) -> Res<(CType, bool)> {
        let mut n = Counts::default();
        for t in types {
            match &t.node {
                T::Void => return Ok((CType::Void, false)),
                T::Bool => return Ok((CType::Bool, false)),
                T::Char => n.char = true,
                T::Short => n.short = true,
                T::Int => n.int = true,
                T::Long => n.long += 1,
                T::Float => n.float = true,
                T::Double => n.double = true,
                T::Signed => n.signed = true,
                T::Unsigned => n.unsigned = true,
                T::TypedefName(name) => {
                    return match self.find(&name.node.name) {
                        Some(Binding::Typedef { ty, constant, .. }) => Ok((ty.clone(), *constant)),
                        _ if name.node.name == "__builtin_va_list" => Ok((CType::Other("va_list".into()), false)),
                        _ => refuse(DECLARATION, name, format!("`{}` names no type", name.node.name)),
                    };
                }
                T::Enum(e) => {
                    self.enumeration(e)?;
                    return Ok((CType::INT, false));
                }
                T::Struct(s) => return Ok((self.record(s)?, false)),
                T::TS18661Float(f) => {
                    return match f.width {
                        32 => Ok((CType::Real(32), false)),
                        64 => Ok((CType::Real(64), false)),
                        128 => Ok((CType::Real(128), false)),
                        _ => refuse(TYPE, t, "this floating-point type is not supported"),
                    };
                }
                T::Complex => return Ok((CType::Other("complex number".into()), false)),
                T::Atomic(_) => return Ok((CType::Other("atomic object".into()), false)),
                T::TypeOf(t) => return Ok((self.type_told(t)?, false)),
            }
        }
        let ty = match n {
            _ if types.is_empty() => return Err(Refusal::new(DECLARATION, place, "a declaration without a type is not supported")),
            Counts { float: true, .. } => CType::Real(32),
            Counts { double: true, long, .. } => CType::Real(if long > 0 { 80 } else { 64 }),
            Counts { char: true, signed, unsigned, .. } => CType::Int { bits: 8, unsigned, char: !signed && !unsigned },
            Counts { short: true, unsigned, .. } => CType::Int { bits: 16, unsigned, char: false },
            Counts { long: 1.., unsigned, .. } => CType::Int { bits: 64, unsigned, char: false },
            Counts { unsigned, .. } => CType::Int { bits: 32, unsigned, char: false },
        };
        Ok((ty, false))
    }

    /// The name by which all enumerators of an enumeration know it.
    fn first_enumerator(&self, e: &EnumType) -> SmolStr {
        let here = e.enumerators.first().map(|item| SmolStr::from(&item.node.identifier.node.name));
        let before = || match self.find(&tag(e)?) {
            Some(Binding::Typedef { enumerated, .. }) => enumerated.clone(),
            _ => None,
        };
        here.or_else(before).unwrap_or_default()
    }

    fn enumeration(&mut self, e: &Node<EnumType>) -> Res<()> {
        let mut next: i128 = 0;
        let first = self.first_enumerator(&e.node);
        if let Some(tag) = tag(&e.node).filter(|_| !e.node.enumerators.is_empty()) {
            let local = self.body.is_some();
            self.bind(tag, Binding::Typedef { ty: CType::INT, constant: false, enumerated: Some(first.clone()), local });
        }
        for item in &e.node.enumerators {
            if let Some(value) = &item.node.expression {
                match self.constant_integer(value) {
                    Some(v) => next = v,
                    None => return refuse(DECLARATION, value, "the value of this enumerator is not a constant"),
                }
            }
            let Ok(value) = i64::try_from(next) else { return refuse(DECLARATION, item, "the value of this enumerator is too large") };
            let name = SmolStr::from(&item.node.identifier.node.name);
            let system = self.map.is_system(item.span.start);
            let ty = CType::INT;
            let mut symbol = Symbol::variable(self.unit_name(&name), ty.elem(), self.scope());
            symbol.span = self.map.span(item.span.start, item.span.end);
            symbol.name = name.clone();
            symbol.decl = Some(Box::new(Decl {
                type_text: SmolStr::new_static("int"),
                storage: Storage::Constant,
                init: Some(integer(next, &ty)),
                attributes: vec![SmolStr::new_static("enumerator"), enumeration_of(&first)],
                ..Decl::default()
            }));
            // Enumerators of system headers are known by their values only.
            if !system {
                let symbol = self.program.add_symbol(symbol);
                self.bind(name, Binding::Enumerator { value, symbol });
            }
            next += 1;
        }
        Ok(())
    }

    /// A pointer to a function.
    pub fn callback(&self, signature: &Signature) -> CType {
        CType::Callback(signature.pointer(&|ty| self.record_text(ty)))
    }

    /// What a parameter that is declared with a type is: for a function, a pointer to it (C11, 6.7.6.3).
    pub fn adjusted(&self, ty: CType) -> CType {
        match ty {
            CType::Function(signature) => self.callback(&signature),
            ty => ty,
        }
    }

    /// Applies a declarator to a type.
    pub fn declarator(&mut self, base: &CType, constant: bool, d: &Node<Declarator>) -> Res<Declared> {
        let mut ty = base.clone();
        let (mut constant, mut restrict) = (constant, false);
        if d.node.derived.len() > MAX_DERIVED {
            return refuse(TYPE, d, "this type has too many parts");
        }
        // Pointers come first and bind to the base type; then arrays and functions, the last one innermost.
        for part in &d.node.derived {
            if let DerivedDeclarator::Pointer(qualifiers) = &part.node {
                let has =
                    |q: TypeQualifier| qualifiers.iter().any(|p| matches!(&p.node, PointerQualifier::TypeQualifier(t) if t.node == q));
                restrict = has(TypeQualifier::Restrict);
                ty = match ty {
                    CType::Function(signature) => self.callback(&signature),
                    to => CType::Pointer(Rc::new(Pointee { to, constant, restrict })),
                };
                constant = has(TypeQualifier::Const);
            }
        }
        for part in d.node.derived.iter().rev() {
            match &part.node {
                DerivedDeclarator::Array(a) => {
                    let extent = match &a.node.size {
                        ArraySize::Unknown | ArraySize::VariableUnknown => Extent::Unknown,
                        ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => self.extent(e),
                    };
                    restrict |= a.node.qualifiers.iter().any(|q| q.node == TypeQualifier::Restrict);
                    ty = CType::Array(Rc::new(ty), extent);
                }
                DerivedDeclarator::Function(f) => {
                    let signature = self.signature(ty, f)?;
                    ty = CType::Function(Rc::new(signature));
                }
                DerivedDeclarator::KRFunction(names) => {
                    let old_style = !names.is_empty();
                    ty = CType::Function(Rc::new(Signature {
                        result: ty,
                        parameters: Vec::new(),
                        variadic: false,
                        unknown: true,
                        old_style,
                    }));
                }
                DerivedDeclarator::Pointer(_) => {}
                DerivedDeclarator::Block(_) => return refuse(TYPE, part, "blocks are not C"),
            }
        }
        match &d.node.kind.node {
            DeclaratorKind::Abstract => Ok(Declared { name: SmolStr::default(), place: (0, 0), ty, constant, restrict }),
            DeclaratorKind::Identifier(i) => {
                Ok(Declared { name: SmolStr::from(&i.node.name), place: (i.span.start, i.span.end), ty, constant, restrict })
            }
            DeclaratorKind::Declarator(inner) => {
                let outer_restrict = restrict;
                let mut declared = self.declarator(&ty, constant, inner)?;
                declared.restrict |= outer_restrict && inner.node.derived.is_empty();
                Ok(declared)
            }
        }
    }

    fn signature(&mut self, result: CType, f: &Node<lang_c::ast::FunctionDeclarator>) -> Res<Signature> {
        let mut parameters = Vec::new();
        for p in &f.node.parameters {
            let s = self.specifiers(&p.node.specifiers, p.span)?;
            let d = match &p.node.declarator {
                Some(d) => self.declarator(&s.ty, s.constant, d)?,
                None => Declared {
                    name: SmolStr::default(),
                    place: (p.span.start, p.span.end),
                    ty: s.ty,
                    constant: s.constant,
                    restrict: false,
                },
            };
            let ty = self.adjusted(d.ty.clone()).with_rows();
            let constant = match (&ty, d.ty.constant_rows()) {
                (_, Some((elements, _))) => elements,
                (CType::Pointer(target), _) => target.constant,
                _ => d.constant,
            };
            parameters.push(Parameter { name: d.name, place: d.place, ty, constant, text: s.text, restrict: d.restrict });
        }
        if matches!(&parameters[..], [p] if p.ty == CType::Void) {
            parameters.clear();
        }
        Ok(Signature { result, parameters, variadic: f.node.ellipsis == Ellipsis::Some, unknown: false, old_style: false })
    }

    /// An extent as far as it is known at this point.
    fn extent(&mut self, e: &Node<Expression>) -> Extent {
        match self.constant_integer(e) {
            Some(v) => i64::try_from(v).map_or(Extent::Unknown, Extent::Fixed),
            None => self.entry_extent(e),
        }
    }

    /// The type that a type name names, and whether it is const.
    pub fn type_name(&mut self, t: &Node<TypeName>) -> Res<(CType, SmolStr)> {
        let mut types = Vec::new();
        let mut constant = false;
        for s in &t.node.specifiers {
            match &s.node {
                SpecifierQualifier::TypeSpecifier(t) => types.push(t),
                SpecifierQualifier::TypeQualifier(q) => constant |= q.node == TypeQualifier::Const,
                SpecifierQualifier::Extension(_) => {}
            }
        }
        let (ty, inner) = self.base_type(&types, t.span)?;
        let text = self.spelled(&types, &ty);
        match &t.node.declarator {
            Some(d) => Ok((self.declarator(&ty, constant || inner, d)?.ty.with_rows(), text)),
            None => Ok((ty.with_rows(), text)),
        }
    }

    /// Refuses what cannot be a value in the model.
    pub fn arithmetic(&self, ty: &CType, place: Span) -> Res<()> {
        match ty {
            CType::Record(_) => Err(Refusal::new(RECORD, place, format!("a `{}` is used here", ty.describe()))
                .because("unions, and structures whose members are not all known here, are not followed")
                .help("pass its members as arguments of their own")),
            CType::Other(name) => Err(Refusal::new(TYPE, place, format!("a {name} is used here, which is not supported"))),
            _ => Ok(()),
        }
    }
}
