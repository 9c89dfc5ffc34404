//! OB2xxx: the C front end.
//!
//! Lives here: what these codes mean. Never here: anything else.

codes! {
OB2001 varies "No C preprocessor is there"
    means: "None of the compilers that could preprocess the text was found. As a warning: the text was read without one, which was enough."
    why: "Macros and included files are the preprocessor's."
    way: "Install a C compiler, or pass text without macros that includes nothing but standard headers.";

OB2002 error "The preprocessor failed"
    means: "The C compiler that was started to preprocess the text reported an error, or could not be run."
    why: "What it does not accept cannot be read."
    way: "Give -I and -D as you give them to your compiler.";

OB2003 error "A line needs the preprocessor"
    means: "Preprocessing is switched off, and the text has a directive that only a preprocessor understands, or includes a file that is no known standard header."
    why: "Without it, the text does not say what is compiled. A service never reads other files."
    way: "Run the preprocessor first and give its output, or switch it on.";

OB2004 error "The text is no C"
    means: "The text does not parse."
    why: "The front end reads C11 as compilers accept it, without their extensions."
    way: "Check that a compiler accepts it with -std=c11 -pedantic.";

OB2005 error "Text nests too deeply or is too long"
    means: "An expression, a statement or a type is beyond the limits of the parser."
    why: "Limits keep hostile input from taking all memory."
    way: "Split the expression or the function.";

OB2006 varies "A name is not declared, or declared differently elsewhere"
    means: "A name is used that nothing declares, or two declarations of it contradict each other."
    why: "Its type decides what the text means."
    way: "Declare it, include the header that does, or make the declarations agree.";

OB2007 error "A macro or condition is not certain without the preprocessor"
    means: "Preprocessing is switched off, and a macro makes text or names with # or ##, has variable arguments, or a condition asks for a name that only compilers or their headers define."
    why: "Another compiler would read another text."
    way: "Switch preprocessing on, preprocess the text first, or write the macro out.";

OB2008 error "The text asks not to be compiled"
    means: "Preprocessing is switched off, and the conditions around an #error directive hold."
    why: "The text says itself that something is missing."
    way: "Define what it asks for with -D, or pass text that is already preprocessed.";

OB2009 error "Files that are given together do not mean the same as one text"
    means: "What is written is one text. In it a file would see a macro, a static name or a header of a file before it and mean something else, or the text would not compile: types or prototypes differ. (A header without a guard is read once, where that changes nothing.)"
    why: "The program that is written would compute something else than the files do."
    way: "Write one file for each with -O FOLDER: they stay translation units of their own.";

OB2010 error "It is not known what a pointer points to"
    means: "A pointer gets another target, depends on a condition, or may point into several arrays, in a way that cannot be followed."
    why: "A derivative must be added to that of the right array; overlap that is not seen makes it silently wrong."
    way: "Use one pointer for each array, or the arrays themselves with computed indices."
    example: "double *p = a;  if (n > 3) p = b + n;  p[0] = x;    /* refused */\nif (n > 3) b[n] = x; else a[0] = x;                 /* understood */";

OB2011 error "A pointer to pointers"
    means: "A pointer to pointers is no parameter double **a and no matrix of rows with memory of their own; a pointer to a row gets another target; or pointers to rows are passed, or cast, to what may do more than read and set elements."
    why: "Which rows an array has, and that they do not overlap, must stay as it is."
    way: "Exchange elements in place of rows, pass whole matrices and single rows to functions whose text is there, or use one array with computed indices.";

OB2012 error "A pointer is seen as another type"
    means: "A pointer is cast, or passed, to a pointer to another type."
    why: "The derivative of a number cannot be found by way of its bytes."
    way: "Use the type of the elements.";

OB2013 error "A pointer is used as a value"
    means: "A pointer is stored, compared, passed or kept between calls in a way that has no counterpart in the program model, or may be null where that cannot be told."
    why: "Pointers are names of arrays there, not values."
    way: "Compare pointers with null by their names, and call with pointers that surely have a target; keep arrays in arrays.";

OB2014 error "Memory is allocated in a form that is not understood"
    means: "malloc, calloc, realloc or free is used otherwise than to give one array, or the rows of a matrix, to one local pointer and take it back, by itself or through functions that do nothing else."
    why: "The derivative needs an array of the same length, that lives as long."
    way: "Write double *w = malloc(n * sizeof(double)); and free(w) in the same function.";

OB2020 error "A structure or union is used in a way that is not followed"
    means: "A member is used that is no number, array of numbers, structure of these or pointer to one of them; a pointer in one of several structures or in one that is no argument; reals that share the memory of a union; a structure with other members as a whole; or one that is given to a function that may change pointers in it."
    why: "Members are followed as variables of their own. What two of them may share, or what a pointer points to from some place on, must be known."
    way: "Pass what is needed as arguments of their own, give each pointer in a structure its target once, or give the text of functions that get the structure.";

OB2021 error "A type has no counterpart"
    means: "Complex, atomic, volatile or extended types, or a kind of number that the format does not have."
    why: "What others change, or what no derivative is defined for, is not differentiated."
    way: "Use double, float and integers.";

OB2022 error "The extent of an array is not known"
    means: "The length of an array cannot be told from the arguments on entry, or may change while it is used."
    why: "Its derivative, and what is recorded of it, need that length."
    way: "Pass the extent as an argument, and declare double a[n][m].";

OB2023 error "An initializer is not understood"
    means: "An initial value is not constant where it has to be, has too many elements, or uses a designator that is not supported."
    why: "Initial values are part of what the program computes."
    way: "Set the elements by assignments.";

OB2030 error "C leaves the order open"
    means: "Two side effects in one expression have no order, and the result depends on it."
    why: "Compilers differ there; the derivative could belong to another result."
    way: "Compute the values in statements before it."
    example: "y = f(&x) + x;          /* refused */\nt = f(&x); y = t + x;   /* understood */";

OB2031 error "An expression has no counterpart"
    means: "An operator or constant that the program model does not have, such as an imaginary constant or _Generic."
    why: "It could not be written back, let alone differentiated."
    way: "Write it with plain operators.";

OB2032 error "This cannot be set"
    means: "Something is assigned to, or has its address taken, that is no variable or may not be changed."
    why: "The text is wrong, or sets something that is not followed."
    way: "Assign to a variable.";

OB2040 error "A statement has no counterpart"
    means: "Assembler, a computed goto or another statement beyond C11."
    why: "What it does is not known."
    way: "Move it into a function that is not differentiated.";

OB2041 error "A case is not directly inside its switch"
    means: "A case label stands within a loop or block of the switch, or stands twice, or is no constant."
    why: "Such control flow does not nest."
    way: "Put the labels directly into the body of the switch.";

OB2042 error "A label or jump does not work out"
    means: "A label is missing or stands twice, break or continue stand outside of a loop, or jumps enter loops or branches."
    why: "Both sweeps of an adjoint must know where control came from."
    way: "Write it with loops and branches.";

OB2050 error "A call cannot be followed"
    means: "A function is called through a pointer of which it is not known what it may point to, or with arguments that do not fit its declaration."
    why: "Which function is called decides what depends on what."
    way: "Give the text of the functions that are passed or assigned in the same file; call with the arguments that the function declares.";

OB2051 error "A library function is used in a form that is not understood"
    means: "memset with another value than 0, memcpy between different types, a number of bytes that is not that of whole elements."
    why: "Bytes have no derivative; only copies and zeros of whole elements do."
    way: "Write the number of bytes as n * sizeof(double), or write a loop.";

OB2052 error "A function cannot be translated"
    means: "It has a variable number of arguments, old-style parameter declarations, a parameter without a name, or returns a pointer."
    why: "The derivative function needs an argument list that is known."
    way: "Give it a plain list of parameters; return results through arguments.";

OB2053 error "A call of Overbar's own stack"
    means: "A function calls ob_push_... or ob_pop_...: it is derivative code of an earlier run, which records values for its reverse sweep."
    why: "What goes over the stack depends on the inputs, and the stack keeps no derivatives: they would be lost."
    way: "For second derivatives make the tangent first (--tangent), then the adjoint of that tangent (--adjoint); tangents record nothing.";
}
