//! OB5xxx: the back ends; OB505x and OB506x are Fortran's, OB51xx those of C.
//!
//! Lives here: what these codes mean. Never here: anything else.

codes! {
OB5050 error "It has no counterpart in Fortran"
    means: "The program holds something that Fortran cannot say; the message names it and the reason."
    why: "A near translation would compute something else."
    way: "Rewrite it in the original, or write the program back in its own language.";

OB5051 error "An operation has no known name in Fortran"
    means: "The catalogue does not list the operation, and no Fortran intrinsic is known for it."
    why: "It could not be called."
    way: "Write it with operations of the catalogue; overbar intrinsics lists them.";

OB5052 error "A statement is kept as text of another language"
    means: "A statement that passed through verbatim came from C, and Fortran is to be written."
    why: "Such text goes back to its own language only."
    way: "Remove the statement, or write the program back in its own language.";

OB5053 error "A statement of the openad dialect"
    means: "The program holds derivative statements that only the stock tools expand."
    why: "They have no source form of their own."
    way: "Boost with the overbar dialect, which is the default.";

OB5054 error "A value that is computed under a condition only"
    means: "An operand must not be evaluated unless a condition holds, and no IF can be put before it here."
    why: "Fortran may evaluate all operands."
    way: "Write the choice as IF blocks in the original.";

OB5055 error "Something is too large to be written"
    means: "An expression is too long, or nests too deeply, for Fortran source."
    why: "Compilers have bounds on statements."
    way: "Split the statement in the original.";

OB5056 error "A name hides an intrinsic that the code needs"
    means: "A variable or procedure of the user is called like an intrinsic that derivative code uses there."
    why: "The call would mean the user's."
    way: "Rename it in the original.";

OB5057 error "There is no place for derivative code in the text"
    means: "The end of the procedure, or of what holds it, cannot be found as a line of its own."
    why: "The output is the user's text with the derivatives put in."
    way: "Put every END statement on a line of its own.";

OB5058 error "Files of different source form would become one"
    means: "The program came from several files, in fixed and free form or in several languages."
    why: "A file has one source form."
    way: "Translate the files one by one.";

OB5059 error "Code beside the original cannot reach what it needs"
    means: "--no-primal is given, and the derivative needs a private or internal entity."
    why: "Only what stands in the same module or host can see it."
    way: "Leave out --no-primal, or make the entity public.";

OB5060 error "A value cannot be recorded in Fortran"
    means: "A value of a kind that the run-time module has no stack for would have to be saved."
    why: "The module records reals of 32, 64 and 128 bits, integers of 32 and 64 bits, default logicals and text."
    way: "Use one of these types.";

OB5061 error "The program is malformed"
    means: "A unit without a graph, a reference to nothing or the like was found while Fortran was written."
    why: "The document contradicts itself."
    way: "Check it with overbar validate.";

OB5062 error "An internal procedure is called from outside its host"
    means: "A derivative unit calls a procedure that is internal to another one."
    why: "It can be called inside its host only."
    way: "Make it a module procedure or an external one, with what it needs of its host as arguments.";

OB5063 error "Derivative code needs what a module hides"
    means: "A derivative unit outside of a module must keep or bring back a variable of that module (what a call changes is kept around its adjoint), and the module protects it, or makes it private where it cannot be made public."
    why: "Code outside of the module cannot name it. What is private is made public in the output (a PUBLIC statement is added, names are taken out of PRIVATE), unless another unit would then mean something else by the name."
    way: "Take the attribute off, or put what calls the module's procedures into the module.";

OB5101 error "Text has no counterpart in C"
    means: "A statement or initial value is kept as text of another language."
    why: "Such text goes back to its own language only."
    way: "Take it out of the unit, or translate back to the language it came from.";

OB5102 error "A type has no counterpart in C"
    means: "A variable's type cannot be declared in C, or not in a header of its own."
    why: "Another type would compute something else."
    way: "Change the declaration, or leave it out of what is translated.";

OB5103 error "An intrinsic has no counterpart in C"
    means: "There is no function of <math.h> and no expression for it in this place."
    why: "It could not be called."
    way: "Write it with the functions of <math.h>.";

OB5104 error "An expression cannot be written in C"
    means: "It is too long, or calls a unit inside."
    why: "Its graph shares vertices that text would repeat; calls are statements."
    way: "Split it over several statements.";

OB5105 error "A use of an array has no counterpart in C"
    means: "An array expression cannot be written as a loop there."
    why: "C has no array operations."
    way: "Write a loop over its elements, or declare its extents as arguments.";

OB5106 error "The extents of an array are not known in C"
    means: "An array of several dimensions has an extent that is not known."
    why: "C needs all extents but the first."
    way: "Declare them as arguments: a(n, m).";

OB5107 error "A static entity is needed in another file"
    means: "--no-primal or -O is given, and the derivative needs a static variable or function of another file."
    why: "Nothing outside of its own file can refer to it."
    way: "Leave out --no-primal or -O, or make it external.";

OB5108 error "Control flow cannot be written in C"
    means: "The head of a loop holds more than assignments, or the graph is malformed."
    why: "There is no statement for it."
    way: "Write a while loop in the original; check a document with overbar validate.";

OB5109 error "An argument cannot be passed in C"
    means: "The types of argument and formal differ, or the argument is an array expression."
    why: "C would convert it, or cannot say it."
    way: "Assign it to a variable of the right type first.";

OB5110 error "A COMMON block has different variables in different units"
    means: "The declarations of the block do not agree."
    why: "In C each variable of the block becomes one of its own."
    way: "Give them the same names and types everywhere, or use a module.";

OB5111 error "The run-time support of C lacks this form"
    means: "A record statement other than push and pop of one variable."
    why: "Such statements are of the openad dialect."
    way: "Boost with --dialect overbar.";

OB5112 error "A variable must keep its name"
    means: "A statement that is kept as text uses a variable whose name would have to change in C."
    why: "The text cannot be changed along."
    way: "Rename the variable in the original.";

OB5113 error "The program is malformed"
    means: "An empty expression, or a wrong number of operands, was found while C was written."
    why: "The document contradicts itself."
    way: "Check it with overbar validate.";

OB5114 error "An unsigned variable counts down"
    means: "A loop counts an unsigned variable down to a bound that may be 0."
    why: "It would wrap around instead of ending the loop."
    way: "Declare it as a signed integer.";

OB5115 error "A variable is shared with the procedure around"
    means: "An internal procedure uses a variable of its host, and C is to be written."
    why: "C has no functions inside functions."
    way: "Pass it as an argument.";
}
