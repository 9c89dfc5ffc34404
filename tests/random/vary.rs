//! What is changed in a program that was generated: directives of other tools anywhere, loops with their test at the bottom that are entered there.
//!
//! Never here: programs made from nothing. It draws from numbers of its own, so that a seed's program stays what it is in all else.

use super::rng::Rng;
use super::tree::{Item, Tree, children, children_mut};
use xaif::model::StmtKind;

/// The program of a seed, varied.
pub fn varied(mut tree: Tree, seed: u64) -> Tree {
    let mut rng = Rng::new(seed ^ 0x7661_7269_6564);
    let foreign = seed % 4 == 1;
    let bottom = seed % 6 == 2;
    for body in &mut tree.bodies {
        if bottom {
            turn(body, &mut rng);
        }
        if foreign {
            sprinkle(body, &mut rng);
        }
    }
    tree
}

fn sprinkle(items: &mut Vec<Item>, rng: &mut Rng) {
    for i in items.iter_mut() {
        children_mut(i).into_iter().for_each(|c| sprinkle(c, rng));
    }
    let mut k = 0;
    while k <= items.len() {
        if rng.percent(12) {
            items.insert(k, Item::Foreign);
            k += 1;
        }
        k += 1;
    }
}

fn turn(items: &mut Vec<Item>, rng: &mut Rng) {
    let mut k = 0;
    while k < items.len() {
        children_mut(&mut items[k]).into_iter().for_each(|c| turn(c, rng));
        // What leaves the loop would leave another one.
        if rng.percent(40) && !children(&items[k]).iter().any(|c| leaves(c)) {
            let made = match &items[k] {
                Item::While(c, body) => Some(vec![Item::Bottom(c.clone(), body.clone())]),
                Item::For(h, body) => match (&h.init.kind, &h.update.kind) {
                    (StmtKind::Assignment { lhs, rhs }, StmtKind::Assignment { lhs: l, rhs: r }) => {
                        let mut body = body.clone();
                        body.push(Item::Assign(l.clone(), r.clone()));
                        Some(vec![Item::Assign(lhs.clone(), rhs.clone()), Item::Bottom(h.condition.clone(), body)])
                    }
                    _ => None,
                },
                _ => None,
            };
            if let Some(made) = made {
                let n = made.len();
                items.splice(k..=k, made);
                k += n - 1;
            }
        }
        k += 1;
    }
}

fn leaves(items: &[Item]) -> bool {
    items.iter().any(|i| matches!(i, Item::Break(_) | Item::Continue(_)) || children(i).into_iter().any(|c| leaves(c)))
}
