//! OB4xxx: the booster.
//!
//! Lives here: what these codes mean. Never here: anything else.

codes! {
OB4001 error "There is nothing to differentiate"
    means: "No head is given, neither on the command line nor in the program, and no variable is flagged as active."
    why: "What depends on what is meant to be differentiated is not said."
    way: "Give --head 'unit(dependents)/(independents)'.";

OB4002 error "An unknown procedure gets an active argument"
    means: "A procedure that the program does not contain, or that was left out of it, gets a value that depends on the independents, and what it sets, returns, or gives back by another call influences the dependents; or it may change a variable that has a derivative. Besides its arguments it reaches variables that other files see, and those whose addresses it may have kept."
    why: "What it does to the derivative is not known; taking it as nothing would give a silently wrong result."
    way: "Give the file with its source as well, say in a rules file what it does, or keep it away from variables that are active. Output alone is no trouble."
    example: "overbar diff model.f90 library.f90 -b --head 'model(y)/(x)'";

OB4003 error "A statement that is kept as text writes an active variable"
    means: "Input, or another statement that only a compiler understands, sets a variable that has a derivative."
    why: "What happens to the derivative there is not known."
    way: "Compute the value outside the differentiated code, or read it into another variable and copy it with an assignment.";

OB4004 error "A pointer needs a derivative"
    means: "An active variable is a pointer."
    why: "What it points to may change, and its derivative would not follow."
    way: "Use the array itself, or pass it as an argument.";

OB4005 error "A variable of this type cannot carry a derivative"
    means: "An active variable is complex, or of a type that is not followed."
    why: "Only real variables and arrays of them have derivatives."
    way: "Copy what is differentiated into real variables; write a complex number as two.";

OB4006 error "A loop variable needs a derivative"
    means: "The variable that counts a loop is real and active."
    why: "The number of iterations would depend on what is differentiated."
    way: "Count with an integer and compute the real value inside the loop.";

OB4007 warning "A dependence goes through an integer"
    means: "A real variable is computed from an integer that was computed from an active value, or from an active value that is rounded to a whole number on the way."
    why: "Rounding is constant almost everywhere: the derivative is taken as zero on this path, which may not be what is meant."
    way: "Nothing, if the integer is an index or a switch. Otherwise compute with reals.";

OB4008 warning "A dependent does not depend on the independents"
    means: "No differentiable path leads from the independents to that dependent."
    why: "Its derivative is zero; a head that asks for it is often a mistake."
    way: "Check the names in the head.";

OB4009 note "Arguments are taken not to overlap"
    means: "Arguments of a head could share memory as far as C is concerned: pointers that are not restrict, of which one is written."
    why: "Hardly any caller hands over such memory, and an adjoint that reckons with it records all that it overwrites. Derivative code relies on that nobody does (tangents do so where local Jacobians are accumulated), and adjoints say so by restrict."
    way: "Give --may-overlap if some caller hands over memory that overlaps, and name those arguments in the head. Declare them restrict if nobody does: then there is no note.";

OB4010 error "A static variable of another unit needs a derivative"
    means: "A variable that keeps its value between calls is active, derivative code cannot reach it, and some call may read what another one has set: an earlier one, or one that is under way."
    why: "Its derivative has to live as long as it does."
    way: "Set all of it before it is read (it is a local variable of derivative code then), move it to file or module scope, or pass it as an argument.";

OB4011 error "A call inside an expression"
    means: "An expression of the document calls a unit with an active argument."
    why: "Expressions are pure in the format; calls are statements of their own. Front ends make them so."
    way: "Assign the call's result to a variable first.";

OB4012 error "An operation without known partial derivatives"
    means: "An operation that the catalogue does not list has an active operand."
    why: "Without its partial derivatives the dependence would be lost."
    way: "Replace it by known operations (overbar intrinsics), or supply it as a unit of the program.";

OB4013 error "An operation with the wrong number of operands"
    means: "An intrinsic has another number of operands than the catalogue says."
    why: "Its partial derivatives are not defined."
    way: "Correct the document; overbar validate finds it too.";

OB4014 error "Complex numbers with an active operand"
    means: "An operation on complex numbers depends on the independents."
    why: "Complex derivatives are not supported."
    way: "Write real and imaginary part as two real variables.";

OB4015 error "TRANSFER of an active value"
    means: "The bits of an active value are seen as another type."
    why: "Bits have no derivative."
    way: "Convert the value, or keep it out of the active path.";

OB4016 error "A partial derivative that is not supported"
    means: "The operation is known, but not its derivative with respect to this argument."
    why: "It cannot be written with known operations, or does not exist."
    way: "Make that argument passive, or write the operation out.";

OB4017 warning "Two arguments are taken not to overlap, and one is not named"
    means: "An active argument that the head does not name could share memory with one that it names."
    why: "Its derivative is local and shares nothing."
    way: "Declare them restrict, or name both in the head if they may overlap (--may-overlap).";

OB4018 error "An array operation without an elementwise derivative"
    means: "An operation on a whole active array has no derivative that could be written element by element."
    why: "There is no statement for it."
    way: "Write it as a loop over the elements.";

OB4019 error "The catalogue of intrinsics is malformed"
    means: "A partial derivative in the catalogue does not fit its operation."
    why: "An error of this tool."
    way: "Please report it with the program.";

OB4020 error "An argument needs a derivative, and the head does not name it"
    means: "An array is active within the head, and neither a declaration nor the loops through it tell its extent."
    why: "No local array can hold its derivative."
    way: "Give its number of elements with `--extent`, or name it in the head: as a dependent if it is written, as an independent if it is read. The message has the head ready to copy.";

OB4021 error "A head is called with an active argument that it does not name"
    means: "A unit that is itself a head is called by another differentiated unit, with an active argument that its own head leaves out."
    why: "Its derivative arguments are fixed by its head, so the dependence would be lost."
    way: "Name that argument in the head of the called unit.";

OB4022 warning "A name is taken"
    means: "The name that a derivative would have is the user's already; it gets a longer one."
    why: "The user's names stay as they are."
    way: "Choose other suffixes if the name matters.";

OB4023 error "A COMMON block is declared differently in different units"
    means: "An active variable lies in a COMMON block whose declarations do not agree."
    why: "The derivatives of the block would not line up."
    way: "Declare the block with the same names, types and order in every unit.";

OB4024 error "A call passes an active argument that the unit does not have"
    means: "There are more arguments than formals, and one of them is active."
    why: "What happens to it is not known."
    way: "Call the unit with the arguments that it declares.";

OB4025 error "A head is called while a global that it does not name is active"
    means: "A unit that is itself a head is called by another differentiated unit, and a global that its head leaves out carries a derivative then."
    why: "Derivatives of globals that a head does not name start from zero; the caller's would be forgotten."
    way: "Name the global in the head, or ask for the two heads in separate runs.";

OB4026 error "A called unit expects a derivative that is not there"
    means: "An argument is passive here, but active in the called unit, and its extent is not known."
    why: "No array of zeros can be handed over."
    way: "Name the argument in the head, or declare its extent.";

OB4027 error "An allocatable or pointer variable that the head does not name"
    means: "A global that a unit below the head allocates or frees is active; or a pointer is, and the head does not name it."
    why: "Its derivative would have to be allocated and freed along with it, in each sweep."
    way: "Allocate it before the head is called, or in the head itself.";

OB4028 error "A dependent of unknown extent does not depend on the independents"
    means: "Its derivative is zero, but how many elements that are is not known."
    why: "It could not be set to zero."
    way: "Leave it out of the head.";

OB4029 error "A call leaves out an argument that is not optional"
    means: "The unit needs an argument that the call does not pass."
    why: "The program is wrong, or the unit is not the one that is meant."
    way: "Pass the argument.";

OB4030 error "An array operation is passed by value"
    means: "An active array expression is an argument that the called unit takes by value."
    why: "Its derivative needs a statement of its own."
    way: "Assign it to a variable first.";

OB4031 error "The extent of an array is not known here"
    means: "An array operation has to be written as a loop over its elements, whose number is not known."
    why: "The loop needs its bounds."
    way: "Give the bounds of the section, or declare the array with its extents.";

OB4032 error "An array intrinsic has no form as a loop"
    means: "There is no loop for that intrinsic in this place."
    why: "Its derivative is made from the loop."
    way: "Write the loop.";

OB4033 error "A section with a variable stride overlaps what is assigned"
    means: "Both sides of an array assignment are sections of one array, with a stride that is no constant."
    why: "Whether an element is read before or after it is set is not known."
    way: "Write the loop, or copy the right side first.";

OB4034 error "The shapes of an array operation do not agree"
    means: "Arrays of different ranks are combined."
    why: "Which element goes with which is not defined."
    way: "Correct the statement.";

OB4035 error "An active array is allocated by an assignment"
    means: "An assignment to an allocatable array may allocate it."
    why: "Its derivative would have to be allocated along with it, and both again in the reverse sweep."
    way: "Write ALLOCATE with its bounds before the assignment.";

OB4036 error "A head that sets adjoints is called by a differentiated unit"
    means: "A head whose adjoint starts from zeros (--zero-init), hands back values (--with-values) or leaves out globals is called by another differentiated unit, and calls are to be reversed jointly."
    why: "Its adjoint sets adjoints where calls have to add to them, or returns a value that calls do not take."
    way: "Name the globals in the head, leave adjoints to be incremented, choose split reversal, or ask for the heads in separate runs.";

OB4037 error "A procedure allocates or frees its active argument"
    means: "An allocatable argument that has a derivative is allocated or freed by the unit that is called."
    why: "The derivative would have to follow in each sweep."
    way: "Allocate it where it is used, or before the differentiated code.";

OB4038 error "A static variable keeps the history of calls"
    means: "What a variable that keeps its value between calls holds depends on earlier calls, and something else depends on it."
    why: "Derivative code cannot reach another unit's static variable; a copy of its own would hold other values."
    way: "Move it to file or module scope, or pass it as an argument.";

OB4039 warning "A static variable is set once"
    means: "It gets the same values whenever it is set, and keeps them."
    why: "Derivative code has a copy of its own and sets it at its own first call, which is right as long as first calls give no other results than later ones."
    way: "Nothing, or initialize it in its declaration.";

OB4050 error "An array assignment reached the adjoint unchanged"
    means: "An active assignment to an array could not be written as a loop."
    why: "Adjoints are made from assignments to elements."
    way: "Write the loop.";

OB4051 error "An array of unknown length would have to be saved"
    means: "The reverse sweep needs what an array held, and its length is not known where that must be recorded."
    why: "How much to save is not known."
    way: "Declare its extent, or pass it as an argument.";

OB4052 error "The head of a counted loop is none"
    means: "A loop is marked as counted, but its head does not have the form of one."
    why: "Its iterations are counted in the reverse sweep."
    way: "Correct the document.";

OB4053 error "An array is freed that nothing in the unit allocates"
    means: "A unit frees an array that came allocated."
    why: "The reverse sweep could not allocate it again."
    way: "Allocate and free it in the same unit.";

OB4054 error "The life of an allocated array cannot be followed"
    means: "It is allocated in a loop or several times, or freed on some ways to the end only."
    why: "The reverse sweep must allocate it again, with the same length, where it was freed."
    way: "Allocate it once, free it on every way, or choose joint reversal.";

OB4055 error "A derivative statement is to be differentiated"
    means: "The program holds statements of an earlier differentiation."
    why: "They have no derivative here."
    way: "Differentiate the original program.";

OB4056 error "The control flow of a derivative unit could not be put together"
    means: "The graph that was made does not nest as it must; the message says where."
    why: "An error of this tool, which it has noticed."
    way: "Please report it with the program.";

OB4057 error "An argument without derivative is passed where one is expected"
    means: "The called unit's adjoint writes a derivative of that argument, and an array for it would have an unknown length."
    why: "There is nothing to throw the derivative into."
    way: "Declare the extent of the argument, or name it in the head.";

OB4058 error "An adjoint must start from zero, and its length is not known"
    means: "An independent is overwritten, or adjoints are to start from zero, and neither a declaration nor the loops through the array tell its extent."
    why: "How many elements to set is not known."
    way: "Give its number of elements with `--extent`, declare it, or name the array as a dependent too.";

OB4060 error "An argument of a call is computed from what the call overwrites"
    means: "A subscript or expression among the arguments uses a variable that the same call sets."
    why: "The reverse sweep hands the same arguments over again, where that variable has changed."
    way: "Assign the argument to a variable before the call.";

OB4061 error "The result of a function goes into one of its arguments"
    means: "The result of a call goes into a variable that the call also has, or may have, as an argument."
    why: "Its derivative would be read and written by the same call; or the reverse sweep of the callee would read the result where it needs what was there before."
    way: "Assign the function's result to another variable, or reverse the call jointly.";

OB4063 error "The length of an array depends on a variable that changes"
    means: "An array's extent is given by the value that a variable had on entry, and the unit changes that variable."
    why: "What is recorded or kept apart would have the wrong length."
    way: "Leave that variable as it is and count in another one.";

OB4064 error "An internal procedure, or its host, cannot be reversed by a pair of units"
    means: "A directive asks for split reversal of a procedure that shares variables with its host, or of such a host."
    why: "The host's variables are others in each sweep."
    way: "Make the internal procedure a module procedure, or choose joint reversal.";

OB4065 error "It is not known which part of an array a call overwrites"
    means: "An array is handed over from an element on, and the unit declares no length for it."
    why: "The adjoint of exactly that part is zero before the call."
    way: "Hand over the section that the unit declares, or declare it with an assumed shape.";

OB4066 error "One array is handed over twice in a call"
    means: "Two arguments of a call are the same active array, or parts of it that may overlap, and neither the caller nor the callee says how long they are."
    why: "Its adjoint would be written through two arguments at once, which compilers may take for apart."
    way: "Declare its length, or hand over a copy of it.";

OB4067 error "Something that is no number would have to be recorded"
    means: "The reverse sweep needs a structure or a complex number that is overwritten."
    why: "The stack takes real, integer and logical values, and text in Fortran."
    way: "Use another variable instead of overwriting it.";

OB4068 error "A call cannot be run again"
    means: "Its joint adjoint runs the called unit once more, and that may not do the same: it reads input, has statements of which only the text is known, or a variable with a history."
    why: "Its adjoint would belong to other values than those that the original computed."
    way: "Choose split reversal, or move these statements to the caller.";

OB4069 error "An adjoint cannot hand back a value"
    means: "With --with-values an adjoint leaves in its arguments what the original leaves there. The reverse sweep overwrites this one, and it cannot be kept meanwhile: its length is not known or changes, it is allocated anew, or it is a variable that only a called procedure knows."
    why: "A value that is not the original's would be worse than none."
    way: "Tell the length (--extent 'y=n', or declare it), or leave --with-values out and call the original for its values.";

OB4070 error "A loop cannot be reversed from snapshots"
    means: "A directive or an option asks for checkpoints of a loop whose iterations cannot be run again; the message says what is in the way."
    why: "Input and output, jumps out of the loop, allocation in its iterations or extents that change in it make another run different from the first."
    way: "Do what the message says, or leave out the checkpoints.";

OB4080 error "Tangent and adjoint in one file of the openad dialect"
    means: "Both were asked for."
    why: "Stock documents have one or the other."
    way: "Run the booster once for each.";

OB4082 error "A reduction in the openad dialect"
    means: "An active array is reduced to a scalar in one statement."
    why: "Its derivative is no elementwise product, which is all that the dialect can propagate."
    way: "Write the reduction as a loop.";

OB4083 error "An active loop variable in the openad dialect"
    means: "A loop variable is flagged as active."
    why: "Loop variables are not differentiated."
    way: "Count with an integer.";

OB4084 error "An opaque statement writes an active variable"
    means: "A marker or statement that is kept as text sets an active variable of a stock document."
    why: "What happens to its derivative is not known."
    way: "Express it as an assignment or a call.";

OB4085 error "The program has been differentiated already"
    means: "A stock document holds derivative statements."
    why: "They cannot be differentiated again."
    way: "Give the booster the original program.";

OB4086 error "A vector subscript in an argument in the openad dialect"
    means: "Elements that an array of indices chooses are passed to a unit."
    why: "Such a reference cannot be recorded."
    way: "Copy the elements to an array and pass that.";

OB4087 error "A scalar enters an array assignment in the openad dialect"
    means: "An active scalar is spread over an array."
    why: "Its adjoint is a sum over the array, which the dialect cannot say."
    way: "Write the assignment as a loop.";

OB4088 error "A unit that is not in the file is called with active arguments"
    means: "A stock document calls what it does not define."
    why: "Its derivative is not known, and the document does not say by its chains (du_ud) that the call sets none of them."
    way: "Add it to the program, make its arguments passive, or write the chains of what is passed.";

OB4089 error "Elements of an array from one of them on change their activity at a call"
    means: "What is passed is passive here and active in the called unit, or the other way round, and the called unit does not declare with numbers how many of them it sees."
    why: "The dialect converts whole variables and sections."
    way: "Pass a section, or copy them to an array of its own.";

OB4090 error "An array expression as an argument in the openad dialect"
    means: "A call passes an array-valued expression."
    why: "Arguments are variables and constants there."
    way: "Assign it to an array and pass that.";

OB4091 error "A section is passed together with other elements of its array in the openad dialect"
    means: "A call hands over an active array section and, as another argument, elements of the same array that may be in the section."
    why: "A copy of the section may be put back over adjoints that the call has added to."
    way: "Copy the section to an array of its own, or boost with --dialect overbar.";

OB4092 error "Memory for active values is allocated in the adjoint of the openad dialect"
    means: "A unit allocates or frees memory that holds active values, and its adjoint is asked for."
    why: "The taping sweep and the adjoint sweep enter the unit one after the other: what the first has allocated is gone in the second."
    way: "Use arrays whose extents are declared, or boost with --dialect overbar.";

OB4093 error "Stock derivatives have no meaning as source text"
    means: "A document of the openad dialect with derivatives is written as source text, and holds something that only the stock tools have: run-time support of theirs, or a derivative for which there is no variable."
    why: "What the templates do with it is not in the document."
    way: "Boost with --dialect overbar, or hand the document to the stock back end.";

OB4094 error "An element is read under a condition in the openad dialect"
    means: "An expression chooses between operands, and an active element of an array is among them that nothing else in the statement reads."
    why: "Propagators and the adjoint of the statement read the derivative of the element in any case, where it need not exist."
    way: "Write the choice as a branch, or boost with --dialect overbar.";

OB4110 warning "Derivative code is without a parallel pragma of the original"
    means: "A pragma of OpenMP or OpenACC stands in the original, and derivative code does not repeat it."
    why: "Iterations that only read a variable add to its adjoint in the reverse sweep: what was parallel need not be any more."
    way: "Nothing; derivatives run on one thread. Parallelize them by hand where iterations add to different elements.";

OB4111 note "Derivative code is without a pragma of the original"
    means: "A pragma or compiler directive stands in the original, and derivative code does not repeat it."
    why: "What holds of the original need not hold of its derivative."
    way: "Nothing.";

OB4120 warning "A chain of definitions in the file is wrong"
    means: "The use-definition chains that the file carries leave out a definition that certainly reaches, or name a statement that is not there."
    why: "What is known from the code wins; the chain is not used."
    way: "Correct the chains, or leave them out: they are computed where the file has none.";

OB4121 warning "A list of modified variables in the file is wrong"
    means: "The side effects that the file states for a unit leave out a variable that an assignment of the unit sets."
    why: "What is known from the code wins; the list is not used."
    way: "Correct the list, or leave it out.";

OB4122 warning "The alias sets of the file are wrong"
    means: "Two references to one scalar have alias sets that have no address in common."
    why: "What is known from the code wins: these sets keep nothing apart."
    way: "Correct the alias sets, or leave them out.";

OB4123 error "The file puts two active variables into one place"
    means: "The alias sets of the file give two variables an address in common, both carry derivatives, and at least one of these derivatives is a variable of its own: of a local variable, or of an argument that the head does not name."
    why: "Variables that share memory need derivatives that share memory; two separate ones would silently be wrong."
    way: "Use one name for both; name both in the head if they are arguments, and hand over derivatives that share memory, too; or choose the openad dialect, where the derivative is a part of the variable.";

OB4124 error "Code that records values on the run-time stack would be differentiated"
    means: "A unit that the heads reach pushes values on the stack of the run-time support, or takes them from there: it is derivative code of an earlier run."
    why: "What goes over the stack depends on the inputs, and the stack keeps no derivatives: they would be lost. In an adjoint, its own records would come between them."
    way: "Differentiate in the other order: make the tangent first, then the adjoint of that tangent; tangents record nothing.";

OB4130 error "A rule does not fit the procedure"
    means: "A rule says something else of a procedure than its prototype, its interface or a call of it: another number of arguments, another type or intent."
    why: "One of the two is wrong, and the derivative may be, too."
    way: "Let the rule say what the prototype says.";

OB4131 error "There is a rule for a procedure whose text is there"
    means: "The program defines a procedure that a rule describes."
    why: "The derivative is made from the text, so the rule would count for nothing."
    way: "Leave out the rule, or the text.";

OB4132 error "A rule names no derivative unit"
    means: "An active value goes through a call of a procedure whose rule names no tangent or adjoint unit, whichever is asked for."
    why: "The derivative would be lost."
    way: "Add the derivative unit to the rule.";

OB4133 error "An argument without a derivative is handed an active variable"
    means: "The rule of a procedure says that an argument carries no derivative, and a call hands it a variable that is differentiated."
    why: "The derivative of what is passed would be lost."
    way: "Say derivative = true in the rule, or pass a variable that is not differentiated.";

OB4140 error "The derivative of a shared variable is needed in several directions"
    means: "With --vector and no number, an active variable is a global, a module variable, in a COMMON block or static."
    why: "Its derivative has a fixed place beside it, and the number of directions is known only in a call."
    way: "Say how many directions there are (--vector=8), pass the variable as an argument, or leave --vector out and call the derivative once for each direction.";

OB4141 error "The derivative of a variable cannot have several directions"
    means: "With --vector, an active variable is a pointer, an array of seven dimensions, or in a structure that has pointers, allocatable components or numbers of other types with derivatives, or that comes in by value and is changed."
    why: "Directions are one more dimension of a plain variable or array."
    way: "Use arrays in its place, or leave --vector out and call the derivative once for each direction.";

OB4142 error "A statement cannot be done for several directions"
    means: "With --vector, a derivative is handed to a procedure that knows one direction, or used where not each direction is by itself."
    why: "Only what is linear in derivatives and made here can be done for all directions at once."
    way: "Leave --vector out and call the derivative once for each direction.";

OB4143 error "Several directions in the openad dialect"
    means: "--vector is given, and the file has the openad dialect."
    why: "Its derivative components belong to a type of active variables that the back end's run-time support defines."
    way: "Leave out --vector, or write the overbar dialect with --dialect overbar.";
}
