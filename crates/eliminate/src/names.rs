//! The heuristics by name.

use xaif::Diagnostic;

/// A rule that prefers some elimination targets to others. Chains of them decide by the first, its ties by the next, and so on.
///
/// Sources: Griewank and Reese (Markowitz), Albrecht, Gottschling and Naumann (LMMD, MOMR, MOPLR), Naumann, Utke and Lyons (sibling degree).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Heuristic {
    /// First in topological order.
    Forward,
    /// Last in topological order.
    Reverse,
    /// Fewest products.
    Markowitz,
    /// Fewest products, less those that would be needed if the target went last.
    RelativeMarkowitz,
    /// Fewest new edges.
    FillIn,
    /// Most in common with the predecessors and successors of the target before, for the sake of data locality; decides nothing at the start.
    Sibling,
    /// Fewest products plus increase of all other Markowitz degrees.
    Lmmd,
    /// Greatest reduction of the sum of all Markowitz degrees.
    Momr,
    /// Greatest reduction of the total length of all paths.
    Moplr,
    /// Shortest distance, in topological order, between the vertices that become connected.
    Distance,
    /// Vertices with a single successor, in one reverse sweep, before anything else. Only for vertices, and only in the first place.
    Pre1,
}

/// All heuristics, with the names by which they can be asked for; the first is the one that is printed.
pub const NAMES: [(Heuristic, &[&str]); 11] = [
    (Heuristic::Forward, &["forward", "fwd"]),
    (Heuristic::Reverse, &["reverse", "rev"]),
    (Heuristic::Markowitz, &["markowitz", "lm", "lowest-markowitz"]),
    (Heuristic::RelativeMarkowitz, &["relative-markowitz", "lrm", "lowest-relative-markowitz"]),
    (Heuristic::FillIn, &["fill-in", "fill", "lowest-fill-in"]),
    (Heuristic::Sibling, &["sibling", "hs", "highest-sibling-degree"]),
    (Heuristic::Lmmd, &["lmmd"]),
    (Heuristic::Momr, &["momr"]),
    (Heuristic::Moplr, &["moplr"]),
    (Heuristic::Distance, &["distance", "minimal-distance"]),
    (Heuristic::Pre1, &["pre1"]),
];

impl Heuristic {
    /// The name that is printed.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(h, _)| *h == self).map_or("", |(_, names)| names[0])
    }
}

/// What is eliminated at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Technique {
    /// A vertex.
    #[default]
    Vertex,
    /// An edge, at its front or its back.
    Edge,
    /// A pair of adjacent edges.
    Face,
}

/// Reads a chain of heuristics, such as `hs,lm,reverse`.
pub fn parse_chain(text: &str) -> Result<Vec<Heuristic>, Diagnostic> {
    let mut chain = Vec::new();
    for word in text.split(',').map(str::trim) {
        let wanted = word.to_ascii_lowercase().replace('_', "-");
        let found = NAMES.iter().find(|(_, names)| names.contains(&wanted.as_str()));
        let Some(&(heuristic, _)) = found else {
            let known: Vec<&str> = NAMES.iter().map(|(h, _)| h.name()).collect();
            return Err(
                Diagnostic::error("OB7010", format!("there is no heuristic `{word}`")).help(format!("known are {}", known.join(", ")))
            );
        };
        chain.push(heuristic);
    }
    if chain.iter().skip(1).any(|&h| h == Heuristic::Pre1) {
        return Err(Diagnostic::error("OB7011", "pre1 stands behind another heuristic")
            .because("it is a sweep that comes before everything else")
            .help("name it first"));
    }
    Ok(chain)
}

/// A chain as it is printed.
pub fn chain_name(chain: &[Heuristic]) -> String {
    chain.iter().map(|h| h.name()).collect::<Vec<_>>().join(",")
}
