//! OB0xxx: command lines, heads, files.
//!
//! Lives here: what these codes mean. Never here: anything else.

codes! {
OB0010 error "A head is not written as a head"
    means: "The text given as a head, with --head, in a manifest or in the program, does not have the form unit(dependents)/(independents)."
    why: "What is differentiated with respect to what must be said without doubt; a name that is not there is never guessed."
    way: "Write unit(dependents)/(independents). Either list may be left out together with its parentheses; an empty list may not stand there."
    example: "overbar diff f.c -b --head 'f(y,z)/(x)'     # also: 'f', 'f(y)', 'f/(x)'";

OB0011 error "There is no such unit to differentiate"
    means: "The head names a unit that the program does not define, or that the front end left out of it because of something that cannot be represented."
    why: "Nothing else in the program can stand for it. Where the front end left it out, its warning says what was in the way, and where."
    way: "Take one of the names that the message lists. Of a unit that was left out, rewrite what the front end's warning points to.";

OB0012 error "A head names a variable that is not there"
    means: "A dependent or independent of the head is neither an argument of the unit, nor its result, nor a global that the unit can see."
    why: "Derivatives are asked for by name, and local variables are nobody's to seed or to read."
    way: "Use one of the names listed. A function's result is named like the function; a variable of a module or COMMON block by its own name.";

OB0013 error "A head names something that has no derivative"
    means: "A dependent or independent is an integer, a logical, text or a named constant."
    why: "Only real variables change continuously."
    way: "Name real variables; the message lists the real arguments of the unit.";

OB0014 error "A head without dependents or independents finds none"
    means: "One of the lists was left out, and no argument qualifies: no real argument is written (dependents), or none is read (independents)."
    why: "A derivative needs both."
    way: "Name the variables in the head. Globals are never taken without being named.";

OB0015 error "Two different heads ask for one unit"
    means: "A unit is named by two heads with different variables."
    why: "A unit has one tangent and one adjoint, and the head fixes their arguments."
    way: "Put all dependents and independents into one head, or run once for each.";

OB0016 error "Several units have the name of the head"
    means: "The program holds more than one unit of that name, say in different modules."
    why: "Which one is meant is not said."
    way: "Rename one of them, or give the files one by one.";

OB0017 error "A head names a main program"
    means: "The unit is a main program."
    why: "It has no arguments, so there is nothing to differentiate with respect to."
    way: "Put what is to be differentiated into a procedure.";

OB0018 error "The result is named as an independent"
    means: "The head asks for derivatives with respect to the result of the function itself."
    why: "The result has no value on entry."
    way: "Name it as a dependent.";

OB0019 error "A dependent is passed by value"
    means: "The head names an argument as dependent that the caller passes by value."
    why: "The caller never sees what is assigned to it."
    way: "Name it as an independent, or pass a pointer.";

OB0020 error "The booster is asked for nothing"
    means: "The library was called with neither tangent nor adjoint switched on."
    why: "There is nothing to make."
    way: "Ask for tangents, adjoints or both.";

OB0021 error "There is no such loop to checkpoint"
    means: "The unit or the line that `--checkpoint` names has no loop."
    why: "Nothing else can be meant without doubt."
    way: "Give the unit and the line in which the head of the loop stands.";

OB0022 error "Checkpoints are asked for in the openad dialect"
    means: "Loops of a program in the openad dialect are to be reversed from snapshots."
    why: "Its adjoints leave that to the templates of the units."
    way: "Boost with --dialect overbar, or name a template with checkpoints.";

OB0101 error "A file cannot be read"
    means: "The operating system refuses to give the contents of an input file; the message holds its words."
    why: "Without its input, nothing is written."
    way: "Check the name, and that you may read it.";

OB0102 error "A file is not UTF-8"
    means: "A text holds a byte sequence that is not UTF-8, at the place given. Source files may: bytes of comments in Latin-1 stay as they are. Text in UTF-16 is none in this sense."
    why: "Columns, comments and names could not be carried over without damage."
    way: "Convert it.";

OB0103 error "An output file cannot be written"
    means: "The operating system refuses to create or complete an output; the message holds its words. What was there before is untouched."
    why: "Output is written whole or not at all."
    way: "Check the folder, the room on the disk, and that you may write there.";

OB0104 error "Neither tangent nor adjoint is asked for"
    means: "The command needs to know which derivatives to make."
    why: "There is no sensible default."
    way: "Give -d (tangent), -b (adjoint) or both.";

OB0105 error "What is given is no file of C, Fortran or XAIF"
    means: "The name of a source file ends in none of the known extensions, or in one of another language, or it is that of a folder."
    why: "The language decides which front end reads it."
    way: "Give --language c or --language fortran where the name misleads. Move what is differentiated to a file of C or Fortran where it is in another language. overbar batch takes folders.";

OB0106 error "Files in different languages"
    means: "C and Fortran files are given to one command."
    why: "A program in the sense of this tool is in one language: its index order and passing conventions hold for all of it."
    way: "Differentiate the C and the Fortran files one after the other.";

OB0107 error "Program and values both from standard input"
    means: "Both were given as -."
    why: "There is only one standard input."
    way: "Write one of them to a file.";

OB0108 error "Which unit is to be run?"
    means: "The program has several units and none was chosen."
    why: "Each of them could be meant."
    way: "Give --unit with one of the names listed.";

OB0109 error "What is to be checked, or differentiated?"
    means: "Neither the command line nor the program has a head, and the program has several units that may be meant."
    why: "A certificate, and a derivative, is one of a head."
    way: "Give --head 'unit(dependents)/(independents)', or write a directive into the source.";

OB0110 error "There is no such diagnostic"
    means: "A code was asked for that this tool never prints."
    why: "It may be misspelled, or of another version."
    way: "Take one of those listed; overbar explain --all prints all of them.";

OB0111 error "Two outputs have one place"
    means: "Two options name the same file, -o and --header for instance."
    why: "The second would replace the first."
    way: "Give each of them a file of its own.";

OB0112 error "An output would replace an input"
    means: "An output has the place of a file that was read, be it under another name or included by one."
    why: "What the output is made from would be lost, and a second run would differentiate derivatives."
    way: "Write it to a file of another name.";

OB0113 note "More of a kind were found than are shown"
    means: "A hundred diagnostics of one code were shown; there are so many more of it."
    why: "Nobody reads all of them, and they are likely to have one cause."
    way: "Mend what is shown and look again.";

OB0120 error "There is no such unit to draw"
    means: "The unit named for a picture is not in the program."
    why: "Nothing else was meant."
    way: "Take one of the names listed.";

OB0121 error "A drawing would be too large to be read"
    means: "The picture has more boxes or arrows than anybody can follow."
    why: "An SVG of thousands of boxes helps nobody and takes long."
    way: "Draw a part: --around NAME --depth N, --unit NAME, --line N-M; or write DOT, which has no bound.";

OB0122 error "Which unit is to be drawn?"
    means: "The program has several units, or none, and the picture shows one."
    why: "Each of them could be meant."
    way: "Give --unit with one of the names listed.";

OB0123 error "There is nothing to draw"
    means: "What was asked for has no boxes: no unit, statement or edge of that kind is there."
    why: "An empty picture would look like a result."
    way: "Choose another picture with --what, another unit, or leave --line out.";

OB0124 error "A drawing cannot be written in that form"
    means: "The name of the output ends in something that is neither .svg nor .dot."
    why: "The form goes by the name."
    way: "End the name in .svg or .dot, or give --format.";

OB0125 error "A graph in JSON has no units"
    means: "A picture of a program is asked for, but the file is a bare graph."
    why: "A bare graph has vertices and edges only."
    way: "Draw it with --what lcg or --what eliminated.";

OB0126 error "No box has that name"
    means: "--around names something that the picture does not show."
    why: "There is nothing to be near to."
    way: "Take one of the names listed: units, variables, lines, ids of vertices.";

OB0127 error "No head reaches the unit"
    means: "The activity of a unit is to be drawn that no head calls."
    why: "In such a unit nothing has an activity."
    way: "Give another head, or draw one of the units listed.";

OB0128 error "That is no range of lines"
    means: "--line was given something else than N or N-M with N at most M."
    why: "Which statements are meant is not known."
    way: "Write --line 12 or --line 12-20.";

OB0129 error "A statement has no linearized graph"
    means: "The graph of partial derivatives of a statement could not be made for a picture."
    why: "The message says what is wrong with it."
    way: "Draw another statement, or the expression with --what expression.";

OB0130 error "There is no such command"
    means: "The manual page of a command is asked for that does not exist."
    why: "Every command has a page of its own, and there are no others."
    way: "Take one of the names that the message lists; without a name the page of overbar itself is printed.";

OB0131 error "That is no amount of search"
    means: "--search was given something that is neither a number of seconds nor a number of moves."
    why: "The search has to end."
    way: "Give seconds (0.5) or moves (20000moves).";

OB0132 error "A checkpoint is not written as one"
    means: "The text given with `--checkpoint` does not have the form UNIT:LINE=SNAPSHOTS."
    why: "The loop and the number of its snapshots must be said without doubt."
    way: "Write for instance step_all:12=10, or step_all:12=memory:64000 for as many as fit into that many bytes, perhaps with ,every:32 for 32 iterations recorded together.";

OB0133 error "An option does nothing here"
    means: "An option was given that cannot apply to the input at hand, or to what else is asked for: --define with XAIF, --free-form with C, --zero-init without adjoints, --preaccumulate in the openad dialect."
    why: "Whoever gives it expects something of it, and would not notice that nothing comes."
    way: "Leave it out. In a batch an option may stand for many files if it applies to some of them.";

OB0134 error "That is no compilation database"
    means: "The document behind `-p` is not a list of objects that say how files are compiled."
    why: "What is not understood there cannot be left out: it may say what macros mean."
    way: "Give a `compile_commands.json` as CMake, Meson or Bear write it: objects with `directory`, `file`, and `arguments` or `command`.";
OB0135 error "A compilation database has nothing of a file"
    means: "A file of the request is not in the compilation database that is given with it."
    why: "Which macros it sees, and where its headers are, is not known then."
    way: "Take it to the database, or give its options with `-I`, `-D`, `-U`, `-include` and `-std` in a command of its own.";
OB0136 error "An extent is not written as one"
    means: "The text given with `--extent` is not `NAME=ELEMENTS`, names an argument that is not there, or contradicts what the argument declares."
    why: "Derivative arrays are as long as it says."
    way: "Write the number of elements by other arguments that are whole numbers: `work=n*m`; one number for each dimension: `a=n,m`; for one unit alone: `step:work=n*m`."
    example: "overbar diff step.c -b --head 'step(y)/(x)' --extent 'work=n*m'";
OB0137 warning "A header is read from a folder that no -I names"
    means: "The preprocessor did not find a header, and the project that the file belongs to has exactly one of this name (or several that say the same). It is read as if -I named its folder, behind all others. The project is what stands below the nearest folder with a version control's mark, else below the outermost of four that has what projects have (README, LICENSE, Makefile), else the file's folder and those for headers beside it."
    why: "Which header is meant decides what the text says."
    way: "Give -I, or -p with a compilation database, as your compiler gets it.";

OB0138 error "A range is not written as one"
    means: "The text given with `--range` is not `NAME=LOW:HIGH`, or names a variable that is not there."
    why: "Points would be drawn from somewhere else than the user thinks."
    way: "Write the name of an argument or a shared variable, the smallest and the largest number.";

OB0139 note "The only unit is differentiated"
    means: "Neither the command line nor the program has a head. One unit of the program has real arguments that are read and written and is called by no other such unit."
    why: "There is nothing else that could be meant; which arguments are meant is taken to be all of them."
    way: "Give --head 'unit(dependents)/(independents)' to have fewer derivatives, and to be without the note.";

OB0140 error "The manifest of a batch is not written as one"
    means: "It is no TOML, or a key, table or value of it is not what a manifest has."
    why: "An item that is misunderstood would be left out without a word."
    way: "Correct the line given. There are [defaults] and [[item]]; an item has input (a pattern or several) or files, output, and options."
    example: "[defaults]\nadjoint = true\n\n[[item]]\ninput = \"kernels/*.f90\"\n\n[[item]]\nfiles = [\"m.f90\", \"model.f90\"]\noutput = \"model.f90\"\nhead = \"model(y)/(x)\"";

OB0141 error "An option of a batch item is none"
    means: "A manifest has an option that items do not know, or with a value that it cannot have; or one that names a file of its own."
    why: "An option that is ignored would give other derivatives than those asked for."
    way: "Options are named like the long options of overbar diff: adjoint = true, head = \"f(y)/(x)\", reversal = \"split\".";

OB0142 error "Outputs of a batch get in each other's way"
    means: "Two items write the same file, one's file would be another's folder, or an output would leave the output folder or replace an input."
    why: "One of them would be lost."
    way: "Give one of them another name with output, or choose another output folder.";

OB0143 error "The files of a batch item are not there"
    means: "A pattern matches no file, a file does not exist, or one output is given for several inputs."
    why: "An item that is nothing would look like one that was done."
    way: "Paths are relative to the manifest's folder; * and ? match within a name, ** any folders.";

OB0144 error "Another batch is at work there"
    means: "Another process holds the journal of the output folder."
    why: "Both would do the same items."
    way: "Wait for it, split the batch with --shard, or choose another output folder.";

OB0145 error "An output is not valid"
    means: "What was made for an item violates the schema, or a front end does not read it again. Nothing was written."
    why: "An error of this tool, which it has noticed."
    way: "Please report it with the input.";

OB0146 error "A certificate says that derivatives are wrong"
    means: "Derivatives that were made differ from those by dual numbers at the point that is given. The place is the first statement whose local derivative is wrong. Nothing was written."
    why: "A fault of Overbar, not of the program, which it has noticed."
    way: "Please report it with the input, the command line and the version. overbar verify tells more. --certificate none writes the code all the same."
    example: "overbar diff -b --head 'f(y)/(x)' --certificate none f.c -o f_b.c";

OB0147 error "Reports of shards cannot be joined"
    means: "A shard has no report, or the shards are of different batches, options or versions."
    why: "The whole would have holes, or items twice."
    way: "Run the missing shards, with --resume if they were begun, then join again.";

OB0148 error "An internal error ended the work on an item"
    means: "The tool failed on that input. Nothing was written for it; other items are not concerned."
    why: "An error of this tool."
    way: "Please report it with the input.";

OB0149 error "A batch cannot begin"
    means: "There is nothing to do, the input is neither folder nor manifest, the shard is not I/N, or threads cannot be started."
    why: "An empty batch would look like one that was done."
    way: "Give a folder with C, Fortran or .xaif files, or a manifest (.toml, .xml).";

OB0150 error "The rules cannot be read"
    means: "The file given with --rules is not TOML, or has a field that rules do not have."
    why: "A field that is not known may have been meant for something."
    way: "Compare the file with docs/rules.md, which shows all fields.";

OB0151 error "A rule contradicts itself"
    means: "Two rules are for the same procedure, an argument appears twice, or a name is none."
    why: "It would be a guess which of the two is meant."
    way: "Say all of a procedure in one rule, and name each argument once.";

OB0152 error "The arguments of a derivative unit in a rule do not fit"
    means: "A rule hands a derivative unit something that the procedure does not have, hands it over twice, or leaves out what carries the derivative."
    why: "A derivative would be lost, or come from nowhere."
    way: "Name the arguments as docs/rules.md shows: x, dot(x) or bar(x), in the order of the derivative unit.";

OB0156 warning "A run does not come to all statements that are drawn"
    means: "Edges of a linearized graph are to have the numbers of their factors at a point, but at that point some statements do not run."
    why: "A factor has a number only where the program computes it."
    way: "Give other values with --input, or choose statements with --line; edges without a number keep their formula.";

OB0157 error "The catalogue of intrinsics cannot be read"
    means: "The file given with --catalogue is no catalogue, or a partial derivative in it names an operation or an argument that there is not."
    why: "A partial derivative that is not understood would be none."
    way: "Compare the file with docs/dialects.md, and names of operations with `overbar intrinsics`.";

OB0160 error "A request is too large"
    means: "The body of a request is larger than the service takes, as it was sent or after decompression. (HTTP 413)"
    why: "A service that takes everything serves nobody."
    way: "Send less, use the command line, or start the service with a larger --body-bytes.";

OB0161 error "A request did not arrive in time"
    means: "The client was too slow in sending a body. (HTTP 408)"
    why: "A connection that waits for ever is lost for others."
    way: "Send it in one go, or start the service with a longer --client-time.";

OB0162 error "A request takes too long"
    means: "The request was stopped because it took more processor time, or more time, than a request may have. (HTTP 408)"
    why: "Others are waiting."
    way: "Send a smaller program, ask for less search, use the command line, or start the service with a longer --cpu-time and --wall-time.";

OB0163 error "A request takes too much memory"
    means: "The request was stopped because it took more memory than a request may have. (HTTP 422)"
    why: "The machine has others to serve."
    way: "Send a smaller program, use the command line, or start the service with a larger --memory.";

OB0164 error "An answer is too large"
    means: "What was made is larger than the service gives out. (HTTP 422)"
    why: "It would have to be held until the client has taken it."
    way: "Ask for less, use the command line, or start the service with a larger --answer-bytes.";

OB0165 error "Too many requests of one client"
    means: "One address has more requests in work or waiting, or more connections, than it may have. (HTTP 429)"
    why: "Others would not come to their turn."
    way: "Wait for answers before sending more, or start the service with a larger --per-client and --client-connections.";

OB0166 error "The service is busy"
    means: "Too many requests wait, this one has waited too long, or too many bytes of bodies are held. (HTTP 503)"
    why: "A queue that grows without end answers nobody in time."
    way: "Send the request again a little later, or start the service with more --workers or a larger --queue.";

OB0167 error "An internal error ended a request"
    means: "The tool failed on that request, or its process ended. Other requests are not concerned. (HTTP 500)"
    why: "An error of this tool."
    way: "Please report it with the request.";

OB0168 error "The service is ending"
    means: "The service has been told to end: it finishes what runs and begins nothing new. (HTTP 503)"
    why: "What is begun now might not be finished."
    way: "Send the request again a little later, or to another service.";

OB0169 error "A request is not understood"
    means: "The request is no JSON, its document or its parts cannot be read, or it has a command, an option or a file name that requests cannot have. (HTTP 400)"
    why: "An option that is ignored would give other derivatives than those asked for."
    way: "Options are named like the long options of the command line; /v1/openapi.json lists them. Those that name files or programs of the machine are not for requests.";

OB0170 error "The coding of a body is not known"
    means: "The body is compressed in a way that the service does not read. (HTTP 415)"
    why: "Only gzip is read."
    way: "Send it as it is, or with Content-Encoding: gzip.";

OB0171 error "No form of an answer is accepted"
    means: "The header Accept names no media type that the service can answer with. (HTTP 406)"
    why: "An answer that the client cannot read is none."
    way: "Accept application/json, application/xml, application/sarif+json or text/plain, or leave the header out.";

OB0172 error "There is nothing of that name in the service"
    means: "The path of a request is none of those that the service has, or not for that method. (HTTP 404, 405)"
    why: "What is meant is not known."
    way: "/v1/openapi.json lists the paths.";

OB0173 error "The service cannot begin"
    means: "The address cannot be listened on, or workers cannot be started."
    why: "The message holds the words of the system."
    way: "Choose another --listen, or fewer --workers.";

OB0180 error "The file of a project is not written as one"
    means: "overbar.toml is no TOML, or has a table, a key or a value that is not known there, or it is not there at all."
    why: "A key that nobody reads would be taken for one that does something."
    way: "Compare it with docs/howto/project.md: [defaults], [[derivative]] with files, output and the long options of overbar diff, [runtime].";

OB0181 error "A derivative is not what would be written now"
    means: "With --check: a file that overbar.toml lists is missing, or differs from what would be written now from the sources."
    why: "The sources, the options, Overbar itself or the output have changed since it was written."
    way: "Run overbar without --check and look at what changes. Derivatives are not edited by hand: they are written anew.";
}
