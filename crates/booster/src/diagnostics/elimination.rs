//! OB7xxx: elimination on graphs.
//!
//! Lives here: what these codes mean. Never here: anything else.

codes! {
OB7001 error "This is not a graph in JSON"
    means: "The file is no JSON, or not of the form that a graph has."
    why: "Its meaning would have to be guessed."
    way: "See overbar help eliminate for the form."
    example: "{\"vertices\":[{\"id\":0},{\"id\":1}], \"edges\":[{\"src\":0,\"dst\":1,\"kind\":\"variable\"}], \"inputs\":[0], \"outputs\":[1]}";

OB7002 error "A vertex is there twice"
    means: "Two vertices have the same id."
    why: "Edges that name it would be ambiguous."
    way: "Give every vertex an id of its own.";

OB7003 error "A vertex is not there"
    means: "An edge, or the list of inputs or outputs, names a vertex that is not listed."
    why: "It may be misspelled."
    way: "List that vertex, or drop what names it.";

OB7004 error "The graph has a cycle"
    means: "An edge lies on a cycle."
    why: "No value can depend on itself."
    way: "Number the values of each iteration anew.";

OB7005 error "An edge ends in an input"
    means: "An input has a predecessor."
    why: "Inputs depend on nothing."
    way: "Drop the edge, or take the vertex off the inputs.";

OB7006 error "The value of an edge is no finite number"
    means: "It is infinite, no number, or out of range."
    why: "Products with it mean nothing."
    way: "Leave out the value of an edge where it is not known.";

OB7007 error "Kind and value of an edge contradict each other"
    means: "A unit edge has another value than 1 or -1, or a copy is not of kind unit."
    why: "Costs depend on the kind."
    way: "Correct kind, copy or value.";

OB7008 error "The graph is too large"
    means: "It has more vertices, edges, inputs or outputs than can be handled."
    why: "A Jacobian of that size cannot be accumulated."
    way: "Split the graph, or name only the inputs and outputs that are wanted.";

OB7009 error "An input or output is named twice"
    means: "The list holds the same vertex again."
    why: "The Jacobian would have the same row or column twice."
    way: "Name it once.";

OB7010 error "There is no such heuristic"
    means: "--order holds a name that is not known."
    why: "It may be misspelled."
    way: "Use the names listed.";

OB7011 error "A sweep stands behind another heuristic"
    means: "pre1 is not the first of the list."
    why: "It is a sweep that comes before everything else."
    way: "Name it first.";

OB7012 error "There is no such objective"
    means: "--objective holds something else than plain, aware or propagate:K."
    why: "What is to be minimized is not known."
    way: "Give plain, aware or propagate:K with a whole number K of at least 1.";

OB7013 error "That is no time to search"
    means: "--search holds a number of seconds out of range."
    why: "The search has to end."
    way: "Give seconds in the range that the message says.";

OB7014 error "The elimination takes too many multiplications"
    means: "The order that was asked for needs more steps than are of any use."
    why: "Code of that size would not be compiled by anybody."
    way: "Try --order pre1,forward or --order reverse, or split the graph.";

OB7015 error "A sequence that was found does not compute the Jacobian"
    means: "The check behind every search failed."
    why: "An error of this tool; nothing is printed."
    way: "Please report it with the graph.";

OB7016 error "This is no sequence of eliminations"
    means: "A file that --sequence names is not a list of steps in JSON."
    why: "A sequence is a list of vertices, and of edges, faces, splits and reroutings as objects."
    way: "Give a list as `order` in what `eliminate --format json` prints.";

OB7017 error "A step names a vertex that the graph does not have"
    means: "A sequence belongs to another graph, or names a vertex over which no path goes."
    why: "Steps name vertices by the ids of the graph's file."
    way: "Leave out vertices that no path from an input to an output goes over; name the others by their ids.";

OB7018 error "A step of the sequence has nothing to eliminate"
    means: "Where the step stands, its vertex or edge is not there any more, or it is an input or an output."
    why: "What cannot be done is not skipped: the sequence would be another one."
    way: "Name every intermediate vertex once, and only edges that are there by then.";
}
