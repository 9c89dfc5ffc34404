//! OB3xxx: the Fortran front end.
//!
//! Lives here: what these codes mean. Never here: anything else.

codes! {
OB3001 error "The text is no Fortran"
    means: "A statement does not parse, or the text has no program unit."
    why: "What is not understood entirely is not differentiated."
    way: "Check that the compiler accepts the file in this source form; --fixed-form and --free-form override what the extension says.";

OB3002 error "Lines do not go together"
    means: "A continuation, character constant or label is not as its source form asks for."
    why: "Statements are put together from lines first; a mistake there makes another program."
    way: "Correct the line, or choose the other source form.";

OB3003 error "A preprocessor directive"
    means: "The text has lines like #ifdef, but is not preprocessed."
    why: "Which lines are compiled is not known."
    way: "Give --cpp, or the file an extension in upper case (.F90, .F): both ask for the preprocessor. Or preprocess it first.";

OB3004 error "An included file is not there"
    means: "An INCLUDE line names a file that is not found, is too large, is no text, or stands where it cannot be read in."
    why: "Declarations in it decide what names mean."
    way: "Put it beside the file that includes it, name its folder with -I, or put its text in its place.";

OB3005 error "Text nests too deeply or has too many parts"
    means: "Parentheses, constructs, cases or loops are beyond the limits of the front end."
    why: "Limits keep hostile input from taking all memory."
    way: "Split the statement or the procedure.";

OB3006 error "Stray characters"
    means: "Characters stand in the text that belong to no statement."
    why: "They may be what is left of a mistake."
    way: "Remove them.";

OB3007 error "The preprocessor failed"
    means: "The compiler that was started to preprocess the text is not there, or reported an error; the message holds its words."
    why: "Which lines are compiled is not known without it."
    way: "Install gfortran, give -I and -D as you give them to your compiler, or run the preprocessor first.";

OB3008 error "An INCLUDE line where no file may be read"
    means: "The text is part of a request, and names another file to be included."
    why: "Requests cannot read files of the machine."
    way: "Put the included text in its place, or use the command line.";

OB3010 error "A name is not declared"
    means: "A name has no declaration, and IMPLICIT gives it no type."
    why: "Its type decides what is differentiated."
    way: "Declare it.";

OB3011 error "A value that must be known is not"
    means: "A kind, an enumerator or another constant expression could not be evaluated."
    why: "Types depend on it."
    way: "Give the file that defines the constant as well, before this one, or write a literal.";

OB3012 error "A name comes from a module that is not given"
    means: "A variable or procedure is used from a module that none of the files defines."
    why: "Its type, and what it does, is not known."
    way: "Give the file that defines the module as well: overbar diff module.f90 file.f90 ...";

OB3013 error "A DATA statement cannot be followed"
    means: "Elements and values do not match in number, or a bound, subscript or repeat count has no known value."
    why: "Initial values are part of what the program computes."
    way: "Set the elements by assignments.";

OB3014 error "A module uses itself"
    means: "A chain of USE statements comes back to where it began."
    why: "No compiler accepts it."
    way: "Take the common part into a module of its own.";

OB3020 error "A derived type is used in a way that is not followed"
    means: "A component, structure or its constructor is used otherwise than as a number, an array of numbers, or an argument handed on."
    why: "Derivatives belong to numbers; components are followed as variables of their own where that is possible."
    way: "Copy the component to a variable and back, or pass it as an argument of its own.";

OB3021 error "A complex number that is not followed"
    means: "A complex number in COMMON, behind a pointer, allocatable, in WHERE or in an intrinsic for which there is no formula takes part in what is to be represented."
    why: "Complex numbers are followed in their real and imaginary parts, where both are variables of their own."
    way: "Copy it to a local complex variable, or write real and imaginary part as two real variables.";

OB3022 error "A pointer"
    means: "A pointer assignment, NULLIFY, NULL() or a Cray pointer. Local pointers are followed where each use comes behind an assignment that is the only one which may hold there."
    why: "What a pointer stands for may change, and its derivative would have to follow."
    way: "Use allocatable arrays or arguments; move_alloc exchanges arrays without pointers.";

OB3023 error "EQUIVALENCE"
    means: "Two names share storage, in a way that is not followed: they have different types, initial values, or a COMMON block that is laid out differently elsewhere, or a statement needs one of them as an array of several dimensions or as a name. Numbers of one type are otherwise parts of one array."
    why: "Setting one sets the other, with another type or layout."
    way: "Use one name for the storage, or its elements one by one.";

OB3024 error "ENTRY"
    means: "A function has a second entry, or a subroutine with entries keeps variables between calls or has internal procedures."
    why: "Each entry is a unit of its own, and what the entries share would have to be one for all of them."
    way: "Make two procedures, with a third or a module for what they share.";

OB3025 error "An alternate return"
    means: "A label is passed for a dummy argument *, or RETURN has an expression."
    why: "Control would leave the call to several places."
    way: "Return a status argument and branch on it.";

OB3026 error "Coarrays"
    means: "A coarray, or a statement about teams or images."
    why: "Communication between images is not followed."
    way: "Keep it outside of what is differentiated.";

OB3027 error "Types that are known only at run time"
    means: "SELECT TYPE, SELECT RANK, TYPEOF, or the call of a type-bound procedure."
    why: "Which procedure or type is meant is not known from the text."
    way: "Call the procedure by its name; use types that are fixed.";

OB3028 error "A defined operator"
    means: "An operator that is not one of the language."
    why: "It stands for a call inside an expression that may do anything."
    way: "Call the function that defines it.";

OB3029 error "An array constructor of unknown length"
    means: "An item of an array constructor has a length that is not known, or is an implied loop over what calls a function."
    why: "Where each element goes must be known."
    way: "Assign the elements one by one, or in a loop.";

OB3030 error "A procedure as a value"
    means: "A procedure is passed, pointed to, or called through a dummy argument, in a way that is not known from the text."
    why: "Which procedure is called decides what depends on what."
    way: "Call a procedure that is known where it is called. Procedures of the same files that are passed by name are followed, and dummy procedures of heads are handed on, if they take numbers and arrays of numbers.";

OB3031 error "An intrinsic, or a form of it, that is not supported"
    means: "The intrinsic is not in the catalogue, or is used with arguments (KIND, BACK, DIM or ORDER that is no constant) that are not."
    why: "Without its meaning neither value nor derivative is known."
    way: "Write it as loops over elements. overbar intrinsics lists what is known.";

OB3032 error "Arguments do not fit"
    means: "A call has too many or too few arguments, an unknown keyword, or one whose type or rank is not that of the dummy argument."
    why: "Which argument goes to which dummy decides what is active."
    way: "Pass what the procedure declares.";

OB3033 error "No specific procedure fits a generic call"
    means: "None of the procedures of a generic interface takes these arguments."
    why: "Which one is called is not known."
    way: "Call the specific procedure by its name.";

OB3034 error "A statement, declaration or expression that is not supported"
    means: "The construct named in the message has no counterpart in the program model."
    why: "What cannot be represented with certainty is refused, not approximated. Statements without any bearing on derivatives are kept as text instead."
    way: "Write it with plainer means: loops over elements, IF blocks, variables of the procedure.";

OB3035 error "A jump out of input or output"
    means: "END=, ERR= or EOR= in an input or output statement."
    why: "The statement is kept as text, and a jump out of it would not be seen."
    way: "Use iostat= and branch on it.";

OB3036 error "A label or jump does not work out"
    means: "A label is not defined exactly once, EXIT or CYCLE have no construct to go with, or a label is assigned to a variable."
    why: "Both sweeps of an adjoint must know where control came from."
    way: "Write it with loops and branches.";

OB3037 error "The shape of an array expression is not known"
    means: "The extents of what an array expression or function gives cannot be told from the text."
    why: "It must become a loop over elements, or an array that holds the value."
    way: "Assign it to an array first; make the function a subroutine with an output argument.";

OB3038 error "Two operators in succession"
    means: "An operator is followed by a sign, such as a * -b."
    why: "The standard forbids it, and compilers that allow it differ in what it means."
    way: "Put the second operand in parentheses.";

OB3039 error "A case without values"
    means: "A CASE has a range without bounds, or nothing in it."
    why: "Which values it is for is not said."
    way: "Give it values, or make it CASE DEFAULT.";

OB3040 error "An array where an element is expected"
    means: "An array is passed for a scalar, to a statement function, or through an elemental procedure in a way that cannot be written as a loop."
    why: "Elementwise calls become loops, which must not change what the call means."
    way: "Call it for each element in a loop.";

OB3041 error "A loop does not count an integer"
    means: "The loop variable or a bound is no integer and cannot be replaced by one."
    why: "The number of iterations must be exact in both sweeps."
    way: "Count with an integer and compute the real value from it.";

OB3042 error "A constant is not supported"
    means: "A Hollerith constant, an integer that is too large, or a number that is not decimal."
    why: "Its value could not be carried through exactly."
    way: "Write the number in decimal form with its kind.";

OB3043 error "A type or rank does not fit"
    means: "A number, truth value, integer, text, array or scalar is needed, and something else stands there; or ranks differ."
    why: "The compiler would refuse it, or it means something that was not recognized."
    way: "Check that the compiler accepts the file; declare what is used.";

OB3044 error "A text expression"
    means: "Text is computed where it cannot be kept as it stands."
    why: "Text has no derivative and no place in the program model except as it stands."
    way: "Assign it to a variable in a statement of its own.";

OB3045 error "A call in a declaration"
    means: "A bound or length in a declaration calls a function of the program."
    why: "Calls are statements, and no statement can stand there."
    way: "Compute the bound before, and pass it as an argument.";

OB3046 error "This cannot be assigned to"
    means: "The left side is a constant, a function's name or no variable at all."
    why: "The text is wrong, or the name is not what it seems."
    way: "Assign to a variable; declare it if it is an array.";

OB3047 error "Input or output of a function that may have side effects"
    means: "A READ or WRITE holds a call of a function that may change something."
    why: "Such statements are kept as text and may be left out in derivative code."
    way: "Assign the function's value to a variable first.";

OB3048 error "A submodule"
    means: "The file has a submodule or a separate module procedure."
    why: "They are not read; what calls them is without their text."
    way: "Put the procedure into its module.";

OB3049 error "An assignment may allocate an array anew"
    means: "A whole allocatable array is assigned, and its shape may change by that."
    why: "Its derivative, and what was recorded, would have another length afterwards."
    way: "Write a(:) = ... if the shape stays, else use a second array.";

OB3050 error "A procedure depends on one that cannot be represented"
    means: "It calls, or belongs together with, a procedure that was refused for another reason."
    why: "Without that one, its own value is not known."
    way: "See the other message.";

OB3051 warning "What a type-bound procedure is, is taken from the types that are given"
    means: "A procedure is called through an object that is declared CLASS(T), and no type that extends T in the given files has another one for the name."
    why: "A type in a file that is not given might have one, which would then be called instead."
    way: "Declare the binding NON_OVERRIDABLE, or give the files with the types that extend T.";

OB3052 warning "Code for OpenMP only is read as a comment"
    means: "A line begins with `!$` and a blank: compilers with OpenMP take it for code, others for a comment."
    why: "The program is differentiated as it is without OpenMP. Derivative code does not have the line."
    way: "Compile derivative code without OpenMP, or write the line without the sign."
    example: "!$ t = omp_get_wtime()";

OB3053 error "A call of Overbar's own stack"
    means: "A procedure calls overbar_push or overbar_pop: it is derivative code of an earlier run, which records values for its reverse sweep."
    why: "What goes over the stack depends on the inputs, and the stack keeps no derivatives: they would be lost."
    way: "For second derivatives make the tangent first (--tangent), then the adjoint of that tangent (--adjoint); tangents record nothing.";
}
