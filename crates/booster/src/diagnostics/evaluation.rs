//! OB6xxx: the interpreter and certificates.
//!
//! Lives here: what these codes mean. Never here: anything else.

codes! {
OB6001 error "There is no such unit, argument or variable"
    means: "The values, seeds or the command name something that the program does not have."
    why: "It may be misspelled."
    way: "Use one of the names listed.";

OB6002 error "An input has the wrong type or shape"
    means: "A value or seed is missing, has another number of elements than its variable, or is no number where one is needed."
    why: "Nothing is filled in."
    way: "Nest arrays in the order of the subscripts of the declaration, with as many elements as it says.";

OB6003 error "The input file is not what it has to be"
    means: "The file of values is no JSON object with args and seeds."
    why: "Its meaning would have to be guessed."
    way: "Write {\"args\": {\"n\": 2, \"a\": [1, 2]}, \"seeds\": {\"a\": [1, 0]}}.";

OB6004 error "A budget of the interpreter is used up"
    means: "The run took more steps, nested calls, memory or tape than its limit."
    why: "A program that does not end would run for ever."
    way: "Use smaller inputs, or raise the limit with --steps.";

OB6005 error "A graph or expression is malformed"
    means: "The interpreter came to something that no valid program has."
    why: "The document contradicts itself."
    way: "Check it with overbar validate.";

OB6010 error "A value is used before it is set"
    means: "A variable or element is read that nothing has given a value."
    why: "What a compiled program would read there is chance."
    way: "Set it, or give it as an input.";

OB6011 error "An index is out of bounds"
    means: "An element outside of the declared bounds is read or written."
    why: "A compiled program would touch other memory."
    way: "Correct the program or the input.";

OB6012 error "An integer is divided by zero"
    means: "A quotient, remainder or negative power of integers has no value."
    why: "A compiled program would stop."
    way: "Correct the program or the input.";

OB6013 error "An integer overflows"
    means: "A result does not fit in its integer type."
    why: "What a compiled program would compute is not defined."
    way: "Use a wider type or smaller inputs.";

OB6014 error "A value of another type is needed"
    means: "A number, text or truth value stands where another is needed."
    why: "Types are not converted without a word."
    way: "Check the document with overbar validate.";

OB6015 error "Shapes do not agree"
    means: "Arrays of different shapes are combined or assigned."
    why: "Which element goes with which is not defined."
    way: "Correct the program or the input.";

OB6016 error "An array has no memory"
    means: "It is not allocated, is an absent optional argument, or its extent is not known."
    why: "There are no elements to use."
    way: "Allocate it, pass it, or give the extent as an input.";

OB6017 error "An argument does not fit its formal"
    means: "Type, kind or number of dimensions differ in a call."
    why: "Which memory the formal stands for is not clear."
    way: "Pass what the unit declares.";

OB6020 error "A unit is called that is not there"
    means: "The program calls a procedure that it does not contain."
    why: "It cannot be run."
    way: "Give the file with its source as well.";

OB6021 error "An operation that the interpreter does not know"
    means: "An intrinsic, a type of constant or a form of call has no meaning in the interpreter."
    why: "Its value is not known."
    way: "Write it with operations that overbar intrinsics lists; verify --run compiled uses compilers instead.";

OB6022 warning "A statement that is kept as text was passed over"
    means: "Output or another opaque statement was not executed."
    why: "Only a compiler understands it."
    way: "Nothing, if it has no bearing on the result.";

OB6023 warning "A real is divided by zero"
    means: "A quotient is infinite or no number."
    why: "It may be intended; what follows from it is not smooth."
    way: "Choose another input if it is not intended.";

OB6024 warning "A result is infinite or no number"
    means: "An operation left the range of its type, or is not defined at that point."
    why: "Derivatives there mean nothing."
    way: "Choose another input.";

OB6025 warning "The program is not smooth here"
    means: "The run came to a kink or a jump: a comparison that is just equal, the absolute value of 0, a root of 0."
    why: "One-sided derivatives differ there."
    way: "Choose another input to see a derivative that exists.";

OB6030 error "A value is taken from an empty stack"
    means: "A derivative unit pops more than was pushed."
    why: "An error of derivative code, or of running a reverse sweep without its forward sweep."
    way: "Run both sweeps in order; otherwise please report it with the program.";

OB6031 error "What is taken from the stack is not what was put there"
    means: "Type, width or number of elements of a pop are not those of its push."
    why: "An error of derivative code."
    way: "Please report it with the program.";

OB6032 error "Something is left on the stack"
    means: "A derivative unit pushed more than it popped."
    why: "An error of derivative code, or of running a forward sweep alone."
    way: "Run both sweeps; otherwise please report it with the program.";

OB6040 error "The program stopped itself"
    means: "The run came to STOP, exit or abort."
    why: "There is no result."
    way: "Choose inputs for which it does not.";

OB6050 error "An argument that is read has no value"
    means: "The input gives no value for an argument or independent."
    why: "Nothing is filled in."
    way: "Add it to the input under args.";

OB6051 error "Seeds are missing, or there for nothing"
    means: "A derivative is asked for without seeds, or seeds are given where nothing asks for them."
    why: "A derivative along no direction is not defined."
    way: "Give them under seeds, or add --tangent or --adjoint.";

OB6052 error "A unit cannot be run that way"
    means: "A derivative unit is asked for its own derivative, or the booster made none of the kind."
    why: "There is nothing to run."
    way: "Run it without --tangent, --adjoint and --jacobian, or run the original.";

OB6060 error "Derivative code has not what its head asks for"
    means: "A derivative unit, argument or global is missing in what the booster made."
    why: "An error of this tool, which the check has noticed."
    way: "Please report it with the program.";

OB6061 error "Derivatives cannot be compared at this point"
    means: "A dependent is not set, derivatives are not finite, or differences do not settle."
    why: "There is nothing to compare with."
    way: "Give another point with --input.";

OB6062 error "No values can be drawn"
    means: "An argument is of a type, or of a size, for which no values are made up."
    why: "A check needs a point."
    way: "Give the values with --input.";

OB6063 error "Nothing was checked"
    means: "No derivative was compared with anything."
    why: "A certificate of nothing would look like a pass."
    way: "Give a point with --input at which the dependents are set.";

OB6064 varies "The compiled harness cannot do that"
    means: "An argument, type or unit cannot be passed or reached by the driver that is compiled."
    why: "Compiled code was not checked; what the interpreter checked stands."
    way: "Nothing, or put the procedure into a module with plain arguments.";

OB6065 error "No inputs were found at which the program can be run"
    means: "All points that were drawn fail; the reason tells how the last one did."
    why: "A check needs a point."
    way: "Give the values with --input.";

OB6066 error "The compiled harness failed"
    means: "The compiled driver crashed, ran too long or printed something unexpected."
    why: "The program may be undefined at that point."
    way: "Give another point with --input, or use --run interpreter.";

OB6067 warning "The compiler cannot be started"
    means: "The command given or found as compiler does not run."
    why: "Compiled code was not checked; what the interpreter checked stands."
    way: "Name another one with --cc or --fc, or give --run interpreter.";

OB6068 warning "Generated code cannot be run with its harness"
    means: "The compiler refused the driver or the original, or something that the head calls is not there; the message holds its first words. Where it refuses derivative code alone, the verdict is wrong."
    why: "Compiled code was not run; what the interpreter checked stands."
    way: "See that the original compiles, with -I for included files, and that all that the head calls is given.";

OB6069 warning "Compiled code was compared with differences"
    means: "The interpreter cannot run the program, so differences of the compiled original are the reference."
    why: "They are less exact than dual numbers."
    way: "Nothing.";

OB6070 error "The earlier certificate is none"
    means: "The file given with --frozen is no certificate in JSON."
    why: "There is nothing to compare with."
    way: "Write one with overbar verify --format json -o FILE.";

OB6071 error "A certificate checked nothing"
    means: "The earlier or the present certificate has no comparison."
    why: "Agreement of nothing with nothing is no agreement."
    way: "See why nothing was checked, and give --input.";

OB6072 error "Something differs from the earlier certificate"
    means: "A hash, verdict or figure is not what it was; the message names it and both values."
    why: "The frozen certificate says that they may not change."
    way: "If the change is intended, write the certificate anew.";

OB6081 varies "Derivatives were certified where the program is not smooth"
    means: "At the points that were drawn a condition or an intrinsic (abs, max, sqrt of an exact zero) changes sides. There the derivatives are those of one side, and that is all the certificate says."
    why: "At such a point either side will do, so a mistake may stay unseen. With --require-certificate that is an error, else a warning."
    way: "Give a point of your own with --input."
    example: "overbar diff -b --input point.json f.c";

OB6082 varies "No point was found that comes to some statements with derivatives"
    means: "The certificate says nothing of the statements that are named: no drawn point makes the program execute them. The comment at the derivative procedures says so too."
    why: "What is not executed is not compared. With --require-certificate that is an error, else a warning."
    way: "Give a point that comes there with --input, or a larger --certify-budget."
    example: "overbar diff -b --input point.json f.c";

OB6083 varies "Derivatives are not certified"
    means: "Nothing could be compared: code that the interpreter does not have, no drawn point at which the program can be run, or a budget that is used up; the message says which. The comment at the derivative procedures says so too."
    why: "The derivatives may be right, but nothing has checked them. With --require-certificate, and where a point was given, that is an error, else a warning."
    way: "Give a point with --input, a larger --certify-budget, check compiled code with overbar verify, or leave the certificate out with --certificate none.";

OB6084 error "A loop is not parallel, though a directive calls it so"
    means: "At the point that is given, iterations of the loop depend on each other. Nothing was written."
    why: "Derivative code that relies on the directive would be wrong."
    way: "Take the directive away.";
}
