//! Memory: objects, descriptors of variables, and views of parts of them.
//!
//! Lives here: where an element lies, and bounds checks. Never here: evaluation of subscripts, operations on values.

use super::fault::{Fault, fault};
use super::scalar::Scalar;
use super::value::{CellType, Shape, Value};
use smallvec::SmallVec;
use xaif::model::IndexOrder;

/// A piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectId(u32);

/// A variable's descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DescriptorId(u32);

/// A piece of memory: its elements and, where the program works on derivative components, theirs.
#[derive(Clone, Debug)]
pub struct Object<S> {
    cells: Vec<Value<S>>,
    derivatives: Vec<Value<S>>,
}

/// Lower bound and number of elements of each dimension, in source order.
pub type Bounds = SmallVec<[(i64, Option<i64>); 2]>;

/// One dimension of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Lower bound.
    pub lower: i64,
    /// Number of elements; `None`: up to the end of the memory.
    pub extent: Option<i64>,
    /// Distance between neighbours.
    pub stride: i64,
}

/// Where a variable lies and how it is subscripted.
#[derive(Clone, Debug)]
pub struct Descriptor {
    /// Memory and position of the first element; `None`: not allocated or not present.
    pub target: Option<(ObjectId, i64)>,
    /// Its dimensions in source order.
    pub axes: SmallVec<[Axis; 2]>,
    /// Type of the elements.
    pub ty: CellType,
    /// False for an absent optional argument.
    pub present: bool,
    /// Its memory was freed.
    pub freed: bool,
}

/// An evaluated subscript.
#[derive(Clone, Debug)]
pub enum Subscript {
    /// One element.
    At(i64),
    /// A section; omitted parts are the declared bounds.
    Range(Option<i64>, Option<i64>, i64),
    /// A vector of indices.
    List(Vec<i64>),
}

/// One dimension of a view.
#[derive(Clone, Debug, PartialEq)]
pub enum Steps {
    /// So many elements at this distance.
    Even(usize, i64),
    /// Elements at these offsets.
    List(Vec<i64>),
}

impl Steps {
    fn len(&self) -> usize {
        match self {
            Steps::Even(n, _) => *n,
            Steps::List(l) => l.len(),
        }
    }

    fn offset(&self, k: usize) -> i64 {
        match self {
            Steps::Even(_, stride) => k as i64 * stride,
            Steps::List(l) => l.get(k).copied().unwrap_or(0),
        }
    }
}

/// An element or a section: no steps at all is one element.
#[derive(Clone, Debug)]
pub struct View {
    /// The memory.
    pub object: ObjectId,
    /// Position of the first element.
    pub base: i64,
    /// The dimensions that vary.
    pub steps: SmallVec<[Steps; 2]>,
    /// Type of the elements.
    pub ty: CellType,
    /// The derivative components are meant.
    pub deriv: bool,
}

impl View {
    /// Its extents.
    pub fn shape(&self) -> Shape {
        self.steps.iter().map(Steps::len).collect()
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.steps.iter().map(Steps::len).product()
    }

    /// True where it is one block without gaps in memory order.
    pub fn is_contiguous(&self, order: IndexOrder) -> bool {
        let mut expected = 1;
        let mut check = |s: &Steps| match s {
            Steps::Even(1, _) => true,
            Steps::Even(n, stride) => {
                let ok = *stride == expected;
                expected *= *n as i64;
                ok
            }
            Steps::List(_) => false,
        };
        match order {
            IndexOrder::Column => self.steps.iter().all(&mut check),
            IndexOrder::Row => self.steps.iter().rev().all(&mut check),
        }
    }

    /// Positions of all elements, the fastest dimension first.
    pub fn positions(&self, order: IndexOrder) -> Vec<i64> {
        let mut out = Vec::with_capacity(self.count());
        if self.count() == 0 {
            return out;
        }
        let mut counter: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.steps.len());
        loop {
            out.push(self.base + self.steps.iter().zip(&counter).map(|(s, &k)| s.offset(k)).sum::<i64>());
            if !advance(&mut counter, |d| self.steps[d].len(), order) {
                return out;
            }
        }
    }
}

/// The next index tuple in memory order; false at the end.
pub fn advance(counter: &mut [usize], extent: impl Fn(usize) -> usize, order: IndexOrder) -> bool {
    let n = counter.len();
    for k in 0..n {
        let d = match order {
            IndexOrder::Column => k,
            IndexOrder::Row => n - 1 - k,
        };
        counter[d] += 1;
        if counter[d] < extent(d) {
            return true;
        }
        counter[d] = 0;
    }
    false
}

/// Dimensions of a block without gaps, from bounds in source order. Only the slowest may be open.
pub fn packed_axes(bounds: &[(i64, Option<i64>)], order: IndexOrder) -> Result<SmallVec<[Axis; 2]>, Fault> {
    let mut axes: SmallVec<[Axis; 2]> = bounds.iter().map(|&(lower, extent)| Axis { lower, extent, stride: 0 }).collect();
    let mut stride: Option<i64> = Some(1);
    let mut set = |a: &mut Axis| -> Result<(), Fault> {
        a.stride = stride.ok_or_else(|| fault("OB6016", "a dimension that is not the slowest has no declared extent"))?;
        stride = a.extent.and_then(|e| a.stride.checked_mul(e.max(0)));
        Ok(())
    };
    match order {
        IndexOrder::Column => axes.iter_mut().try_for_each(&mut set)?,
        IndexOrder::Row => axes.iter_mut().rev().try_for_each(&mut set)?,
    }
    Ok(axes)
}

impl Descriptor {
    /// A view through subscripts, all bounds checked. `name` is for messages.
    pub fn view(&self, name: &str, subscripts: &[Subscript], deriv: bool) -> Result<View, Fault> {
        self.view_up_to(name, subscripts, deriv, 0)
    }

    /// The same with so many elements allowed behind the end: the address of what follows an array may be passed, if not used.
    pub fn view_up_to(&self, name: &str, subscripts: &[Subscript], deriv: bool, beyond: i64) -> Result<View, Fault> {
        let Some((object, start)) = self.target else {
            let why = if self.present { "has no memory: it is not allocated, or its extent is not known" } else { "is an absent argument" };
            return Err(fault("OB6016", format!("`{name}` {why}")));
        };
        if subscripts.len() > self.axes.len() {
            return Err(fault("OB6005", format!("`{name}` has {} dimensions but {} subscripts", self.axes.len(), subscripts.len())));
        }
        let mut view = View { object, base: start, steps: SmallVec::new(), ty: self.ty, deriv };
        for (d, axis) in self.axes.iter().enumerate() {
            let check = |i: i64| match axis.extent {
                Some(n) if i < axis.lower || i - axis.lower >= n + beyond => Err(fault(
                    "OB6011",
                    format!("index {i} of `{name}` is out of bounds {}:{} in dimension {}", axis.lower, axis.lower + n - 1, d + 1),
                )),
                None if i < axis.lower => {
                    Err(fault("OB6011", format!("index {i} of `{name}` is below its lower bound {} in dimension {}", axis.lower, d + 1)))
                }
                _ => Ok(()),
            };
            let distance =
                |i: i64| (i - axis.lower).checked_mul(axis.stride).ok_or_else(|| fault("OB6011", format!("index {i} is too large")));
            match subscripts.get(d).unwrap_or(&Subscript::Range(None, None, 1)) {
                Subscript::At(i) => {
                    check(*i)?;
                    view.base += distance(*i)?;
                }
                Subscript::List(list) => {
                    list.iter().try_for_each(|&i| check(i))?;
                    view.steps.push(Steps::List(list.iter().map(|&i| distance(i)).collect::<Result<_, _>>()?));
                }
                Subscript::Range(from, to, step) => {
                    let last = axis.extent.map(|n| axis.lower + n - 1);
                    let open = || fault("OB6016", format!("the extent of `{name}` in dimension {} is not known", d + 1));
                    // What is left out is the declared bound, whichever way the section runs.
                    let (from, to) = (from.unwrap_or(axis.lower), to.or(last).ok_or_else(open)?);
                    if *step == 0 {
                        return Err(fault("OB6011", format!("a section of `{name}` has stride 0")));
                    }
                    let span = to.saturating_sub(from);
                    let count = if span.signum() * step.signum() < 0 { 0 } else { span / step + 1 };
                    if count > 0 {
                        check(from)?;
                        check(from + (count - 1) * step)?;
                        view.base += distance(from)?;
                    }
                    view.steps.push(Steps::Even(count.max(0) as usize, axis.stride.saturating_mul(*step)));
                }
            }
        }
        Ok(view)
    }

    /// Number of elements, where it is known.
    pub fn count(&self) -> Option<i64> {
        self.axes.iter().try_fold(1i64, |n, a| n.checked_mul(a.extent?.max(0)))
    }
}

/// All objects and descriptors of a run.
#[derive(Clone, Debug)]
pub struct Memory<S> {
    objects: Vec<Option<Object<S>>>,
    free_objects: Vec<u32>,
    descriptors: Vec<Descriptor>,
    free_descriptors: Vec<u32>,
    cells: usize,
    limit: usize,
}

impl<S: Scalar> Memory<S> {
    /// Empty, with a limit on the number of elements.
    pub fn new(limit: usize) -> Memory<S> {
        Memory { objects: Vec::new(), free_objects: Vec::new(), descriptors: Vec::new(), free_descriptors: Vec::new(), cells: 0, limit }
    }

    /// A new object.
    ///
    /// # Errors
    /// The limit is reached.
    pub fn allocate(&mut self, cells: Vec<Value<S>>) -> Result<ObjectId, Fault> {
        self.reserve(cells.len())?;
        let object = Some(Object { cells, derivatives: Vec::new() });
        Ok(ObjectId(match self.free_objects.pop() {
            Some(i) => {
                self.objects[i as usize] = object;
                i
            }
            None => {
                self.objects.push(object);
                self.objects.len() as u32 - 1
            }
        }))
    }

    /// Checks that so many more elements are allowed, and counts them.
    pub fn reserve(&mut self, count: usize) -> Result<(), Fault> {
        self.cells = self.cells.saturating_add(count.saturating_add(1));
        if self.cells > self.limit {
            return Err(fault("OB6004", format!("the program needs more memory than the limit of {} elements", self.limit)));
        }
        Ok(())
    }

    /// Checks a size before the memory for it is asked for.
    pub fn check_size(&self, count: i64) -> Result<usize, Fault> {
        match usize::try_from(count) {
            Ok(n) if n <= self.limit.saturating_sub(self.cells) => Ok(n),
            _ => Err(fault("OB6004", format!("an array of {count} elements is beyond the limit of {} elements", self.limit))),
        }
    }

    /// Frees an object. `reuse` where no descriptor can still point to it.
    pub fn free(&mut self, id: ObjectId, reuse: bool) {
        if let Some(object) = self.objects.get_mut(id.0 as usize).and_then(Option::take) {
            self.cells = self.cells.saturating_sub(object.cells.len() + 1);
            if reuse {
                self.free_objects.push(id.0);
            }
        }
    }

    /// Size of an object.
    pub fn size_of(&self, id: ObjectId) -> usize {
        self.objects.get(id.0 as usize).and_then(Option::as_ref).map_or(0, |o| o.cells.len())
    }

    /// True where some derivative component of the object was set.
    pub fn has_derivative(&self, id: ObjectId) -> bool {
        self.objects.get(id.0 as usize).and_then(Option::as_ref).is_some_and(|o| !o.derivatives.is_empty())
    }

    /// A new descriptor.
    pub fn describe(&mut self, d: Descriptor) -> DescriptorId {
        DescriptorId(match self.free_descriptors.pop() {
            Some(i) => {
                self.descriptors[i as usize] = d;
                i
            }
            None => {
                self.descriptors.push(d);
                self.descriptors.len() as u32 - 1
            }
        })
    }

    /// Gives a descriptor back.
    pub fn forget(&mut self, id: DescriptorId) {
        self.free_descriptors.push(id.0);
    }

    /// A descriptor.
    pub fn descriptor(&self, id: DescriptorId) -> &Descriptor {
        &self.descriptors[id.0 as usize]
    }

    /// A descriptor, to be changed.
    pub fn descriptor_mut(&mut self, id: DescriptorId) -> &mut Descriptor {
        &mut self.descriptors[id.0 as usize]
    }

    /// The element at a position, undefined or not.
    pub fn load(&self, object: ObjectId, position: i64, deriv: bool) -> Result<Value<S>, Fault> {
        let o = self.objects.get(object.0 as usize).and_then(Option::as_ref);
        let o = o.ok_or_else(|| fault("OB6016", "memory is used after it was freed"))?;
        let index = usize::try_from(position).unwrap_or(usize::MAX);
        match o.cells.get(index) {
            None => Err(outside(position, o.cells.len())),
            Some(v) if !deriv => Ok(v.clone()),
            // A derivative component that was never set is zero, as the run-time type of the stock tools has it.
            Some(_) => Ok(o.derivatives.get(index).cloned().unwrap_or_else(|| Value::real(0.0))),
        }
    }

    /// Sets the element at a position.
    pub fn store(&mut self, object: ObjectId, position: i64, deriv: bool, value: Value<S>) -> Result<(), Fault> {
        let o = self.objects.get_mut(object.0 as usize).and_then(Option::as_mut);
        let o = o.ok_or_else(|| fault("OB6016", "memory is used after it was freed"))?;
        let size = o.cells.len();
        let index = usize::try_from(position).unwrap_or(usize::MAX);
        if index >= size {
            return Err(outside(position, size));
        }
        if deriv {
            if o.derivatives.is_empty() {
                o.derivatives.resize(size, Value::real(0.0));
            }
            o.derivatives[index] = value;
        } else {
            o.cells[index] = value;
        }
        Ok(())
    }
}

fn outside(position: i64, size: usize) -> Fault {
    fault("OB6011", format!("element {position} (counted from 0) is outside of the {size} elements of the memory"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xaif::model::ElemType;

    fn matrix(order: IndexOrder) -> Descriptor {
        let mut m: Memory<f64> = Memory::new(100);
        let object = m.allocate(vec![Value::Undefined; 6]).unwrap();
        let axes = packed_axes(&[(1, Some(2)), (1, Some(3))], order).unwrap();
        let ty = CellType { elem: ElemType::REAL64, unsigned: false };
        Descriptor { target: Some((object, 0)), axes, ty, present: true, freed: false }
    }

    #[test]
    fn elements_and_sections_lie_where_the_index_order_says() {
        let at = |d: &Descriptor, s: &[Subscript], o| d.view("a", s, false).unwrap().positions(o);
        let (c, r) = (matrix(IndexOrder::Column), matrix(IndexOrder::Row));
        assert_eq!(at(&c, &[Subscript::At(2), Subscript::At(3)], IndexOrder::Column), [5]);
        assert_eq!(at(&c, &[Subscript::At(2), Subscript::At(1)], IndexOrder::Column), [1]);
        assert_eq!(at(&r, &[Subscript::At(2), Subscript::At(1)], IndexOrder::Row), [3]);
        let row = [Subscript::At(2), Subscript::Range(None, None, 1)];
        assert_eq!(at(&c, &row, IndexOrder::Column), [1, 3, 5]);
        assert_eq!(at(&r, &row, IndexOrder::Row), [3, 4, 5]);
        assert_eq!(at(&r, &[Subscript::At(2)], IndexOrder::Row), [3, 4, 5]);
        let back = [Subscript::At(1), Subscript::Range(Some(3), Some(1), -2)];
        assert_eq!(at(&c, &back, IndexOrder::Column), [4, 0]);
        assert_eq!(at(&c, &[Subscript::Range(Some(2), Some(1), 1), Subscript::At(1)], IndexOrder::Column), [0i64; 0]);
        assert_eq!(at(&c, &[Subscript::Range(None, None, 2), Subscript::At(1)], IndexOrder::Column), [0]);
        assert_eq!(at(&c, &[], IndexOrder::Column), [0, 1, 2, 3, 4, 5]);
        assert!(c.view("a", &row, false).is_ok_and(|v| !v.is_contiguous(IndexOrder::Column)));
        assert!(r.view("a", &row, false).is_ok_and(|v| v.is_contiguous(IndexOrder::Row)));
    }

    #[test]
    fn bounds_are_checked_in_each_dimension() {
        let c = matrix(IndexOrder::Column);
        assert_eq!(c.view("a", &[Subscript::At(3), Subscript::At(1)], false).unwrap_err().code, "OB6011");
        assert_eq!(c.view("a", &[Subscript::At(0), Subscript::At(1)], false).unwrap_err().code, "OB6011");
        assert_eq!(c.view("a", &[Subscript::At(1), Subscript::Range(Some(2), Some(4), 1)], false).unwrap_err().code, "OB6011");
    }
}
