//! OB1xxx: XML, the schema, what documents mean, directives.
//!
//! Lives here: what these codes mean. Never here: anything else.

codes! {
OB1001 error "The document is not UTF-8"
    means: "The bytes of the document are UTF-16, or no text at all."
    why: "XAIF is read as UTF-8 only."
    way: "Convert it to UTF-8, and say so in its declaration or leave that out.";

OB1002 error "The document is not well-formed"
    means: "A rule of XML itself is broken: a tag that does not close, a second root, text outside of the root, a bad name, a character or reference that XML does not allow, an attribute twice."
    why: "What comes behind such a place cannot be understood with certainty."
    way: "Correct the place given. Any XML tool (xmllint --noout FILE) complains of the same place.";

OB1003 error "The document is beyond a limit"
    means: "It has too many bytes, too many elements, too many attributes at one element, nests too deeply, holds too long a token, or has more problems than are worth listing."
    why: "Limits keep hostile documents from taking all memory."
    way: "Split the document. The message names the limit.";

OB1004 error "A document type declaration"
    means: "The document has a DOCTYPE."
    why: "Entities can make a small document expand without end, and can name files."
    way: "Remove it; XAIF needs none.";

OB1005 error "A namespace is used wrongly"
    means: "A prefix is not declared, is bound to nothing, or is one of the reserved ones."
    why: "Names of elements mean nothing without their namespace."
    way: "Declare the prefix on the root element."
    example: "<xaif:CallGraph xmlns:xaif=\"http://www.mcs.anl.gov/XAIF\" ...>";

OB1006 error "The root element is not that of XAIF"
    means: "The document is XML, but its root is not CallGraph in the namespace of XAIF."
    why: "It is another kind of document."
    way: "Give the XAIF document. Source files are read by frontend or diff.";

OB1010 error "An element has no place here"
    means: "An element of the format stands where the format has none of its kind, or outside of the format's namespace."
    why: "Leaving it out could change what the program means."
    way: "Move or remove it; overbar validate checks against the schema.";

OB1011 error "Text between elements"
    means: "There is text where the format has elements only."
    why: "It would be lost."
    way: "Remove it, or put it into a comment.";

OB1012 error "An attribute is missing"
    means: "An element lacks an attribute that it needs, or has one of two that belong together."
    why: "There is no default for it."
    way: "Add the attribute.";

OB1013 error "An attribute has a value that it cannot have"
    means: "The value is not a number, not a truth value, or not one of the words that are known there; the message says what is expected."
    why: "It would have to be guessed."
    way: "Correct the value.";

OB1014 warning "An attribute is not known"
    means: "An attribute is not one of the format. The message says whether it is kept or left out."
    why: "Other tools write attributes of their own; the program means the same without them."
    way: "Nothing, if it is of another tool. Otherwise check its spelling.";

OB1015 error "An element is missing"
    means: "Something that has to be there is not: the scope hierarchy, a symbol table, a part of a loop's head, an expression."
    why: "There is no default for it."
    way: "Add it; overbar validate --schema-only shows what the schema expects.";

OB1016 error "An element stands twice"
    means: "There is a second one of something that may be there once."
    why: "Which of the two counts is not said."
    way: "Remove one.";

OB1017 warning "An older form of the format"
    means: "The document uses a layout of earlier tools, which is read as the present one."
    why: "It is written in the present layout again, so the output differs from the input there."
    way: "Nothing.";

OB1018 warning "An element of another namespace is left out"
    means: "An element that is not XAIF's stands in the document."
    why: "What it means is not known, and the program means the same without it."
    way: "Nothing, if it is of another tool.";

OB1020 error "There is no such symbol"
    means: "A reference names a symbol that its scope does not declare."
    why: "Nothing is known of it, not even its type."
    way: "Declare it in the symbol table, or correct symbol_id and scope_id.";

OB1021 error "There is no such scope"
    means: "A reference names a scope that the hierarchy does not have."
    why: "Its symbols cannot be found."
    way: "Add the scope and the edge to the scope around it, or correct scope_id.";

OB1022 error "There is no such unit"
    means: "An edge of the call graph, or a derivative unit, names a unit that the document does not have."
    why: "Who calls whom decides what is active."
    way: "Correct the vertex id, or remove the edge.";

OB1023 error "There is no such vertex"
    means: "An edge names a vertex that its graph or expression does not have."
    why: "Control or data would come from nowhere."
    way: "Correct source and target of the edge.";

OB1024 error "There is no such alias or du/ud set"
    means: "A reference has a key that the list at the head of the document does not have."
    why: "What it may overlap with, or where its values come from, would have to be guessed."
    way: "Add the set, or use the key 0 for what is not known.";

OB1025 error "A name or id stands twice"
    means: "Two scopes, symbols, vertices, edges or units have the same id or name where it must be unique."
    why: "References to it would be ambiguous."
    way: "Give every one an id of its own.";

OB1026 warning "The id of a statement or edge stands twice"
    means: "Two statements of a unit, or two edges of a graph, have the same id."
    why: "Nothing refers to them but du/ud chains, which stock tools write that way in places."
    way: "Give every one an id of its own if you make the document.";

OB1027 error "The scopes are no tree"
    means: "A scope has two enclosing scopes, or lies within itself."
    why: "A name could not be looked up."
    way: "Give each scope but the outermost one edge to the scope around it.";

OB1028 error "A variable is used as a unit"
    means: "A call, or a unit, names a symbol that is not a subroutine."
    why: "It cannot be called."
    way: "Correct the symbol, or its kind.";

OB1029 error "A unit is assigned to"
    means: "The left side of an assignment names a subroutine."
    why: "Only variables have values. A function's result is its last formal."
    way: "Assign to the result formal.";

OB1030 error "The edges of an expression form a cycle"
    means: "A vertex of an expression is, by way of others, its own operand."
    why: "Such an expression has no value."
    way: "Correct the edges.";

OB1031 error "An expression has several roots"
    means: "More than one vertex of an expression is nobody's operand."
    why: "Which of them is the value is not said."
    way: "Connect them, or remove what is not used.";

OB1032 error "Operands are not numbered from 1 on"
    means: "The positions of the operands of a vertex have a gap, or one stands twice."
    why: "The order of operands matters."
    way: "Number them 1, 2, ... without gaps.";

OB1033 error "An expression is missing or empty"
    means: "An element that needs an expression has none."
    why: "There is no value to use."
    way: "Add the attribute.";

OB1034 error "A reference or leaf is put together wrongly"
    means: "A constant or variable has operands, or the parts of a variable reference do not hang together as one chain."
    why: "What it refers to is not clear."
    way: "Correct the edges of the reference.";

OB1040 error "A control-flow graph has no single entry or exit"
    means: "There is no entry vertex, no exit vertex, or more than one of them."
    why: "Both sweeps of a derivative need one of each."
    way: "Join several exits into one.";

OB1041 error "A vertex has the wrong edges"
    means: "A vertex has more or fewer edges out of it than its kind asks for, or their values do not tell body and exit of a loop, or the arms of a branch, apart."
    why: "Where control goes is not clear."
    way: "Give a loop one edge with value 1 into its body and one without into what follows, a branch different values for its arms.";

OB1042 error "Loops and branches do not nest"
    means: "The graph is marked as structured, or its jumps are marked, but its skeleton is no nest of loops and branches."
    why: "Structured code is written, and reversed, from that nesting."
    way: "Mark the edges that leave the skeleton as jumps, or the unit as structured=\"0\".";

OB1043 warning "A vertex that no path reaches"
    means: "Control can never come to that vertex."
    why: "Dead code is kept, but it may be a mistake."
    way: "Nothing, or remove it.";

OB1044 error "The head of a loop does not count one variable"
    means: "Initialization and update of a loop are not assignments to one and the same scalar variable."
    why: "A counted loop has one loop variable."
    way: "Use one variable, or a loop that only tests a condition.";

OB1045 warning "The call graph has no edge for a call"
    means: "A unit calls another one, but the call graph has no edge between them."
    why: "The calls themselves are believed; the call graph is made anew from them."
    way: "Nothing, or add the edge.";

OB1046 error "Something is its own derivative"
    means: "A symbol or unit is marked as the derivative of itself."
    why: "A derivative belongs to something else."
    way: "Correct the attribute.";

OB1050 error "A condition, subscript or operand has the wrong type"
    means: "A truth value, an integer or a number is needed, and something else stands there."
    why: "Types are not converted without a word."
    way: "Correct the type of the symbol, or compare explicitly.";

OB1051 error "The number of dimensions does not fit"
    means: "A reference has another number of subscripts than its array has dimensions, arrays of different ranks are combined, an array stands where a scalar is needed, or a scalar is summed as if it were an array."
    why: "Which elements are meant is not clear."
    way: "Give one subscript for each dimension, or none for the whole array.";

OB1052 error "An operation has the wrong number of operands"
    means: "An intrinsic or relation has more or fewer operands than the catalogue says."
    why: "Its value and its partial derivatives are not defined."
    way: "See overbar intrinsics for the number.";

OB1053 error "Arguments of a call do not fit the unit"
    means: "A call passes too many arguments, leaves out one that is not optional, or counts other formals than the unit has."
    why: "Which argument goes to which formal decides what is active."
    way: "Pass what the unit declares.";

OB1054 varies "Argument positions are not 1, 2, 3 and so on"
    means: "The position of an argument or formal is 0, or stands twice, or there is a gap. Gaps in stock documents are a warning."
    why: "Positions connect arguments with formals."
    way: "Number them from 1 on.";

OB1055 warning "An intrinsic is not in the catalogue"
    means: "An operation has a name that the catalogue of intrinsics does not list."
    why: "Its partial derivatives are not known: where an operand is active, the booster refuses it."
    way: "Check its spelling; overbar intrinsics lists what there is. Operations of passive values may stay.";

OB1056 error "A constant is no value of its type"
    means: "The text of a constant cannot be read as the type that it has."
    why: "It would have to be guessed."
    way: "Correct value or type.";

OB1057 error "Something that is no variable is written by a call"
    means: "A call passes an expression or constant for an argument that the unit writes."
    why: "There is nowhere to put the value."
    way: "Pass a variable.";

OB1058 error "A head of the document names no unit of it"
    means: "The document asks to differentiate a unit that it does not hold."
    why: "The document contradicts itself."
    way: "Correct the head.";

OB1059 error "A loop that is no counted loop is marked as parallel"
    means: "A loop is promised to have independent iterations, but it is not counted or is left by a jump."
    why: "The number of iterations must be known on entry."
    way: "Remove the mark, or the jump.";

OB1060 error "The document violates the schema"
    means: "Validation against the XSD files of this tool failed at the place given; the reason names the rule of XML Schema."
    why: "A document that is not valid is read by nobody with certainty."
    way: "Correct it. The schema files are in schema/xsd.";

OB1061 error "The schema cannot be used"
    means: "The schema could not be loaded, or this build has no schema validation."
    why: "Nothing was checked."
    way: "Use a build with the feature that holds it; if it has it, please report this.";

OB1070 varies "A directive is not known"
    means: "A comment or pragma begins like a directive of this tool or of one whose directives it reads, but its word is not one."
    why: "A misspelled directive would lose what it asks for: what begins with `overbar`, or is nearly a word that is read, is an error. Whatever else other tools are told changes no derivative: a warning, once for each."
    way: "Use one of the words listed; a directive of another tool may stay."
    example: "!$overbar head f(y)/(x)\n!$overbar parallel";

OB1071 varies "A directive is written wrongly"
    means: "The word is known, but what follows does not have the form that it needs."
    why: "What is promised or asked for must be clear. A warning where another tool is asked for snapshots in a way that is not read: the adjoint records instead."
    way: "Write it as the message shows.";

OB1072 varies "A directive stands where it means nothing"
    means: "A directive is not attached to a loop, call or procedure that it could be about."
    why: "It would be ignored. A warning for promises and wishes in the words of other tools: without them derivatives are the same."
    way: "Put it directly before what it is about.";

OB1073 varies "A directive asks for checkpoints"
    means: "The directive is known, but this version makes no checkpoints by directive."
    why: "Without them the adjoint may take more memory. A warning where the directive is another tool's: the derivative is the same."
    way: "Remove it, or make the piece of code a procedure.";

OB1074 error "Directives contradict each other"
    means: "Two directives ask for different heads or reversals of the same thing, or a directive and a head do."
    why: "Which one counts is not said."
    way: "Leave one of them.";
}
