//! What must be refused: ill-formed XML, documents beyond the limits, wrong namespaces. Each with a code and a place.
use xaif::read::{Limits, read};
use xaif::{Diagnostic, validate};

const ROOT: &str = r#"<xaif:CallGraph xmlns:xaif="http://www.mcs.anl.gov/XAIF" program_name="p">"#;
const BODY: &str = r#"<xaif:ScopeHierarchy><xaif:Scope vertex_id="1"><xaif:SymbolTable><xaif:Symbol symbol_id="x"/></xaif:SymbolTable></xaif:Scope></xaif:ScopeHierarchy>
<xaif:AliasSetMap><xaif:AliasSet key="0"/></xaif:AliasSetMap><xaif:DUUDSetMap><xaif:StmtIdSet key="0"/></xaif:DUUDSetMap><xaif:DOSetMap><xaif:StmtIdSet key="0"/></xaif:DOSetMap>"#;

fn whole(inner: &str) -> String {
    format!("{ROOT}{BODY}{inner}</xaif:CallGraph>")
}

fn refused(document: &[u8]) -> Vec<Diagnostic> {
    let Err(problems) = read("h.xaif", document, &Limits::default()) else {
        panic!("accepted: {}", String::from_utf8_lossy(document).chars().take(300).collect::<String>())
    };
    for d in &problems {
        let l = d.location.as_ref().unwrap_or_else(|| panic!("no place: {d}"));
        assert!(l.line >= 1 && l.column >= 1 && l.file == "h.xaif", "{d}");
    }
    // The validator sees the same.
    assert!(validate::document("h.xaif", document, &Limits::default()).iter().any(Diagnostic::is_error));
    problems
}

fn code(document: &str) -> &'static str {
    refused(document.as_bytes()).iter().find(|d| d.is_error()).map_or("", |d| d.code)
}

#[test]
fn a_sound_document_is_accepted() {
    let (program, warnings) = read("h.xaif", whole("").as_bytes(), &Limits::default()).unwrap();
    assert!(warnings.is_empty());
    assert_eq!(program.symbols.len(), 1);
    assert!(validate::document("h.xaif", whole("").as_bytes(), &Limits::default()).is_empty());
    let marked = format!("\u{FEFF}<?xml version='1.0' encoding='utf-8' standalone='yes'?><!-- c --><?p i?>{}<!-- d -->\n", whole(""));
    assert!(read("h.xaif", marked.as_bytes(), &Limits::default()).is_ok());
}

#[test]
fn ill_formed_documents_are_refused() {
    let sound = whole("");
    let cases: Vec<(&str, String)> = vec![
        ("empty", String::new()),
        ("blank", "  \n".into()),
        ("only a declaration", "<?xml version='1.0'?>".into()),
        ("unclosed root", sound.replace("</xaif:CallGraph>", "")),
        ("cut short", sound[..sound.len() / 2].into()),
        ("two roots", format!("{sound}{sound}")),
        ("text before the root", format!("text{sound}")),
        ("text behind the root", format!("{sound}text")),
        ("CDATA behind the root", format!("{sound}<![CDATA[x]]>")),
        ("reference behind the root", format!("{sound}&amp;")),
        ("wrong end tag", sound.replace("</xaif:DOSetMap>", "</xaif:DUUDSetMap>")),
        ("end tag too many", format!("{sound}</xaif:CallGraph>")),
        ("`<` in an attribute", sound.replace("\"p\"", "\"a<b\"")),
        ("bad element name", whole("<1x/>")),
        ("bad attribute name", sound.replace("program_name", "2name")),
        ("two colons", whole("<xaif:a:b/>")),
        ("empty local name", whole("<xaif:/>")),
        ("control character", sound.replace("\"p\"", "\"a\u{1}b\"")),
        ("control character in a comment", whole("<!-- \u{2} -->")),
        ("no character", sound.replace("\"p\"", "\"\u{FFFE}\"")),
        ("]]> in text", whole("]]>")),
        ("reference to NUL", sound.replace("\"p\"", "\"&#0;\"")),
        ("reference to a control character", sound.replace("\"p\"", "\"&#x1;\"")),
        ("reference to half a character", sound.replace("\"p\"", "\"&#xD800;\"")),
        ("reference too large", sound.replace("\"p\"", "\"&#x110000;\"")),
        ("unknown entity", sound.replace("\"p\"", "\"&lol;\"")),
        ("unknown entity in text", whole("&lol;")),
        ("bare ampersand", sound.replace("\"p\"", "\"a & b\"")),
        ("bare ampersand in text", whole("a & b")),
        ("attribute twice", sound.replace("program_name=\"p\"", "program_name=\"p\" program_name=\"q\"")),
        ("attribute through two prefixes", sound.replace("program_name=\"p\"", "xmlns:a='urn:u' xmlns:b='urn:u' a:n='1' b:n='2'")),
        ("through two spellings", sound.replace("program_name=\"p\"", "xmlns:a='urn:u' xmlns:b='urn:&#117;' a:n='1' b:n='2'")),
        ("attribute without value", sound.replace("program_name=\"p\"", "program_name")),
        ("attribute without quotes", sound.replace("program_name=\"p\"", "program_name=p")),
        ("no blank between attributes", sound.replace("program_name=\"p\"", "program_name=\"p\"prefix=\"q\"")),
        ("open quote", sound.replace("\"p\"", "\"p")),
        ("late declaration", format!("\n<?xml version='1.0'?>{sound}")),
        ("second declaration", whole("<?xml version='1.0'?>")),
        ("declaration without version", format!("<?xml encoding='utf-8'?>{sound}")),
        ("version 1.1", format!("<?xml version='1.1'?>{sound}")),
        ("instruction called XML", whole("<?XML x?>")),
        ("instruction without name", whole("<? x?>")),
        ("two hyphens in a comment", whole("<!-- a -- b -->")),
        ("open comment", whole("<!-- a")),
        ("markup declaration", whole("<!ELEMENT a>")),
    ];
    for (what, document) in cases {
        assert!(refused(document.as_bytes()).iter().any(|d| d.code == "OB1002"), "{what}");
    }
}

#[test]
fn other_encodings_are_refused() {
    let latin = whole("").replace("\"p\"", "\"\u{E4}\"").chars().map(|c| c as u8).collect::<Vec<u8>>();
    assert_eq!(refused(&latin)[0].code, "OB1001");
    let utf16: Vec<u8> = [0xFFu8, 0xFE].into_iter().chain(whole("").encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(refused(&utf16)[0].code, "OB1001");
    let declared = format!("<?xml version='1.0' encoding='ISO-8859-1'?>{}", whole("").replace("\"p\"", "\"\u{E4}\""));
    assert_eq!(code(&declared), "OB1002");
}

#[test]
fn document_types_and_entity_bombs_are_refused() {
    let bomb = format!("<!DOCTYPE a [<!ENTITY x \"{}\"><!ENTITY y \"&x;&x;&x;\">]>{}", "x".repeat(1000), whole(""));
    assert_eq!(code(&bomb), "OB1004");
    assert_eq!(code(&format!("<!DOCTYPE a SYSTEM 'file:///etc/passwd'>{}", whole(""))), "OB1004");
    assert_eq!(code(&format!("<!DOCTYPE a>{}", whole(""))), "OB1004");
    assert!(matches!(code(&whole("<!DOCTYPE a>")), "OB1002" | "OB1004"));
}

#[test]
fn namespaces_are_checked() {
    assert_eq!(code(&whole("<other:x/>")), "OB1005");
    assert_eq!(code(&whole("").replace("program_name", "other:name")), "OB1005");
    assert_eq!(code(&whole("").replace("program_name=\"p\"", "xmlns:q=''")), "OB1005");
    assert_eq!(code(&whole("").replace("program_name=\"p\"", "xmlns:xml='urn:u'")), "OB1005");
    assert_eq!(code(&whole("").replace("program_name=\"p\"", "xmlns:xmlns='urn:u'")), "OB1005");
    assert_eq!(code(&whole("").replace("http://www.mcs.anl.gov/XAIF", "http://www.mcs.anl.gov/XAIF2")), "OB1006");
    assert_eq!(code("<a/>"), "OB1006");
    assert_eq!(code(&whole("<Marker/>")), "OB1010");
    // A prefix is gone where its element ends.
    assert_eq!(code(&whole("<n:a xmlns:n='urn:u'/><n:b/>")), "OB1005");
    // Any prefix will do, and so will none.
    let other = whole("").replace("xmlns:xaif", "xmlns:q").replace("xaif:", "q:");
    assert!(read("h.xaif", other.as_bytes(), &Limits::default()).is_ok());
    let none = whole("").replace("xmlns:xaif", "xmlns").replace("xaif:", "");
    assert!(read("h.xaif", none.as_bytes(), &Limits::default()).is_ok());
}

#[test]
fn limits_hold() {
    let deep = whole(&format!("{}{}", "<xaif:a>".repeat(100_000), "</xaif:a>".repeat(100_000)));
    assert_eq!(refused(deep.as_bytes()).last().unwrap().code, "OB1003");
    let attributes: String = (0..5000).map(|i| format!(" a{i}=''")).collect();
    assert_eq!(code(&whole("").replace(" program_name=\"p\"", &attributes)), "OB1003");
    let small = |limits: Limits, document: &str| read("h.xaif", document.as_bytes(), &limits).unwrap_err().last().unwrap().code;
    assert_eq!(small(Limits { bytes: 100, ..Limits::default() }, &whole("")), "OB1003");
    assert_eq!(small(Limits { elements: 5, ..Limits::default() }, &whole("")), "OB1003");
    assert_eq!(small(Limits { depth: 3, ..Limits::default() }, &whole("")), "OB1003");
    let giant = whole("").replace("\"p\"", &format!("\"{}\"", "x".repeat(2000)));
    assert_eq!(small(Limits { token: 1000, ..Limits::default() }, &giant), "OB1003");
    let source = whole("").replace(
        "program_name=\"p\">",
        &format!("xmlns:ob='urn:overbar:xaif:1'><ob:Source file='f' language='c'>{}</ob:Source>", "y ".repeat(1000)),
    );
    assert_eq!(small(Limits { token: 1000, ..Limits::default() }, &source), "OB1003");
    assert!(read("h.xaif", source.as_bytes(), &Limits::default()).is_ok());
    // Namespaces without end.
    let many: String = (0..100_000).map(|i| format!("<n:a xmlns:n='urn:{i}'/>")).collect();
    assert_eq!(refused(whole(&many).as_bytes()).last().unwrap().code, "OB1003");
    // Problems without end.
    let bad = "<xaif:Nonsense/>".repeat(100_000);
    let found = refused(whole(&bad).as_bytes());
    assert!(found.len() <= 1001 && found.last().unwrap().code == "OB1003");
}

/// A unit `u` with these vertices and edges.
fn unit(content: &str) -> String {
    let head = r#"<xaif:ControlFlowGraph vertex_id="1" symbol_id="u" scope_id="1" controlflowgraph_scope_id="1">"#;
    whole(&format!("{head}{content}</xaif:ControlFlowGraph>")).replace(
        r#"<xaif:Symbol symbol_id="x"/>"#,
        r#"<xaif:Symbol symbol_id="x"/><xaif:Symbol symbol_id="a" shape="vector"/><xaif:Symbol symbol_id="u" kind="subroutine" type="void"/>"#,
    )
}

fn assignment(rhs: &str) -> String {
    unit(&format!(
        r#"<xaif:Entry vertex_id="1"/><xaif:BasicBlock vertex_id="2" scope_id="1"><xaif:Assignment statement_id="1"><xaif:AssignmentLHS>
<xaif:SymbolReference symbol_id="x" scope_id="1"/></xaif:AssignmentLHS><xaif:AssignmentRHS>{rhs}</xaif:AssignmentRHS></xaif:Assignment></xaif:BasicBlock>
<xaif:Exit vertex_id="3"/><xaif:ControlFlowEdge edge_id="1" source="1" target="2"/><xaif:ControlFlowEdge edge_id="2" source="2" target="3"/>"#
    ))
}

fn constant(id: u32) -> String {
    format!(r#"<xaif:Constant vertex_id="{id}" type="real" value="1.0"/>"#)
}

fn op(id: u32) -> String {
    format!(r#"<xaif:Intrinsic vertex_id="{id}" name="add_scal_scal"/>"#)
}

fn edge(id: u32, source: u32, target: u32, position: u32) -> String {
    format!(r#"<xaif:ExpressionEdge edge_id="{id}" source="{source}" target="{target}" position="{position}"/>"#)
}

#[test]
fn malformed_expressions_are_refused() {
    let sound = [op(1), constant(2), constant(3), edge(1, 2, 1, 1), edge(2, 3, 1, 2)].concat();
    assert!(validate::document("h.xaif", assignment(&sound).as_bytes(), &Limits::default()).is_empty());
    let cases = [
        ("OB1033", String::new()),
        ("OB1031", [constant(1), constant(2)].concat()),
        ("OB1023", [op(1), constant(2), edge(1, 2, 1, 1), edge(2, 7, 1, 2)].concat()),
        ("OB1032", [op(1), constant(2), constant(3), edge(1, 2, 1, 1), edge(2, 3, 1, 3)].concat()),
        ("OB1032", [op(1), constant(2), constant(3), edge(1, 2, 1, 1), edge(2, 3, 1, 1)].concat()),
        ("OB1030", [op(1), op(2), op(3), constant(4), edge(1, 2, 1, 1), edge(2, 3, 2, 1), edge(3, 2, 3, 1), edge(4, 4, 1, 2)].concat()),
        ("OB1030", [op(1), edge(1, 1, 1, 1)].concat()),
        ("OB1025", [op(1), constant(2), constant(2), edge(1, 2, 1, 1), edge(2, 2, 1, 2)].concat()),
        ("OB1034", [constant(1), constant(2), edge(1, 2, 1, 1)].concat()),
        ("OB1012", r#"<xaif:Constant type="real"/>"#.into()),
        ("OB1013", r#"<xaif:BooleanOperation name="maybe"/>"#.into()),
        ("OB1013", r#"<xaif:Constant type="quaternion" value="1"/>"#.into()),
        ("OB1020", r#"<xaif:VariableReference><xaif:SymbolReference symbol_id="nobody" scope_id="1"/></xaif:VariableReference>"#.into()),
        ("OB1021", r#"<xaif:VariableReference><xaif:SymbolReference symbol_id="x" scope_id="9"/></xaif:VariableReference>"#.into()),
        ("OB1034", "<xaif:VariableReference/>".into()),
        (
            "OB1013",
            r#"<xaif:VariableReference alias="-1"><xaif:SymbolReference symbol_id="x" scope_id="1"/></xaif:VariableReference>"#.into(),
        ),
    ];
    for (wanted, rhs) in cases {
        assert_eq!(code(&assignment(&rhs)), wanted, "{rhs}");
    }
}

#[test]
fn a_long_chain_of_operations_needs_no_deep_stack() {
    let n = 50_000;
    let mut rhs = constant(1);
    for i in 2..=n {
        rhs += &format!(r#"<xaif:Intrinsic vertex_id="{i}" name="minus_scal"/>"#);
        rhs += &edge(i, i - 1, i, 1);
    }
    let (program, _) = read("h.xaif", assignment(&rhs).as_bytes(), &Limits::default()).unwrap();
    assert!(validate::semantics(&program).is_empty());
    let again = xaif::write::write(&program);
    assert!(read("h.xaif", again.as_bytes(), &Limits::default()).is_ok());
}

#[test]
fn subscripts_nest_as_deep_as_the_limits_say() {
    let nested = |depth: usize| {
        let open = r#"<xaif:VariableReference><xaif:SymbolReference vertex_id="1" symbol_id="a" scope_id="1"/><xaif:ArrayElementReference vertex_id="2"><xaif:IndexTriplet><xaif:Index>"#;
        let close = r#"</xaif:Index></xaif:IndexTriplet></xaif:ArrayElementReference><xaif:VariableReferenceEdge edge_id="1" source="1" target="2"/></xaif:VariableReference>"#;
        assignment(&format!("{}{}{}", open.repeat(depth), constant(1), close.repeat(depth)))
    };
    assert!(read("h.xaif", nested(40).as_bytes(), &Limits::default()).is_ok());
    assert_eq!(code(&nested(5000)), "OB1003");
}

#[test]
fn every_problem_is_reported_with_its_line() {
    let document = unit(
        "\n<xaif:Entry vertex_id=\"1\"/>\n<xaif:Entry vertex_id=\"1\"/>\n<xaif:Nonsense/>\n<xaif:ControlFlowEdge edge_id=\"1\" source=\"1\" target=\"9\"/>\n<xaif:BasicBlock vertex_id=\"2\"/>\n",
    );
    let found = refused(document.as_bytes());
    let first = document.lines().position(|l| l.contains("Entry")).unwrap() as u32 + 1;
    let at: Vec<(&str, u32)> = found.iter().map(|d| (d.code, d.location.as_ref().unwrap().line)).collect();
    assert_eq!(
        at,
        [("OB1025", first + 1), ("OB1010", first + 2), ("OB1012", first + 4), ("OB1021", first + 4), ("OB1023", first + 3)],
        "{found:#?}"
    );
}

/// Codes of the semantic findings of a document that can be read.
fn findings(document: &str) -> Vec<&'static str> {
    let (program, _) = read("h.xaif", document.as_bytes(), &Limits::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    let found = validate::semantics(&program);
    assert!(found.iter().all(|d| d.location.is_some()), "{found:?}");
    found.iter().map(|d| d.code).collect()
}

#[test]
fn senseless_programs_are_found_out() {
    assert_eq!(findings(&assignment(&constant(1))), [] as [&str; 0]);
    assert_eq!(
        findings(&assignment(&constant(1)).replace("<xaif:Exit vertex_id=\"3\"/>", "<xaif:EndBranch vertex_id=\"3\"/>")),
        ["OB1040", "OB1041"]
    );
    assert_eq!(findings(&assignment(&op(1))), ["OB1052"]);
    assert_eq!(findings(&assignment(r#"<xaif:Constant type="string" value="1.0"/>"#)), ["OB1050"]);
    assert_eq!(findings(&assignment(r#"<xaif:Constant type="integer" value="one"/>"#)), ["OB1056"]);
    let array = r#"<xaif:VariableReference><xaif:SymbolReference symbol_id="a" scope_id="1"/></xaif:VariableReference>"#;
    assert_eq!(findings(&assignment(array)), ["OB1051"]);
    let keyed = array.replace("<xaif:VariableReference>", "<xaif:VariableReference alias=\"7\" du_ud=\"8\">").replace("\"a\"", "\"x\"");
    assert_eq!(findings(&assignment(&keyed)), ["OB1024", "OB1024"]);
    let real_subscript = r#"<xaif:VariableReference><xaif:SymbolReference vertex_id="1" symbol_id="a" scope_id="1"/><xaif:ArrayElementReference vertex_id="2"><xaif:IndexTriplet><xaif:Index>
<xaif:Constant type="real" value="1.0"/></xaif:Index></xaif:IndexTriplet></xaif:ArrayElementReference><xaif:VariableReferenceEdge edge_id="1" source="1" target="2"/></xaif:VariableReference>"#;
    assert_eq!(findings(&assignment(real_subscript)), ["OB1050"]);
    assert_eq!(findings(&assignment(&real_subscript.replace("\"a\"", "\"x\""))), ["OB1051", "OB1050"]);
    // A branch into the middle of a loop does not nest.
    let tangled = unit(
        r#"<xaif:Entry vertex_id="1"/><xaif:Branch vertex_id="2"><xaif:Condition><xaif:Constant type="bool" value="true"/></xaif:Condition></xaif:Branch>
<xaif:PreLoop vertex_id="3"><xaif:Condition><xaif:Constant type="bool" value="true"/></xaif:Condition></xaif:PreLoop><xaif:BasicBlock vertex_id="4" scope_id="1"/>
<xaif:EndLoop vertex_id="5"/><xaif:Exit vertex_id="6"/>
<xaif:ControlFlowEdge edge_id="1" source="1" target="2"/><xaif:ControlFlowEdge edge_id="2" source="2" target="3" has_condition_value="true" condition_value="1"/>
<xaif:ControlFlowEdge edge_id="3" source="2" target="4"/><xaif:ControlFlowEdge edge_id="4" source="3" target="4" has_condition_value="true" condition_value="1"/>
<xaif:ControlFlowEdge edge_id="5" source="3" target="6"/><xaif:ControlFlowEdge edge_id="6" source="4" target="5"/><xaif:ControlFlowEdge edge_id="7" source="5" target="3"/>"#,
    );
    assert_eq!(findings(&tangled), ["OB1042"]);
    assert_eq!(findings(&tangled.replace("controlflowgraph_scope_id", "structured=\"0\" controlflowgraph_scope_id")), [] as [&str; 0]);
}
