//! Values from and to JSON: `{"args": {"n": 2, "a": [1, 2]}, "seeds": {"a": [1, 0]}}`.
//!
//! Lives here: how numbers, truth values, text and nested arrays correspond to values. Never here: files, command line.
//!
//! Arrays are nested in the order of the subscripts: `a[i][j]` is `a(i, j)`, whichever varies fastest in memory. Numbers beyond the range of JSON
//! are the texts `"nan"`, `"inf"`, `"-inf"`; an undefined element is `null`.

use super::arrays::advance;
use super::data::{Data, Inputs, Values};
use super::fault::{Fault, fault};
use super::scalar::Scalar;
use super::value::{IntKind, Shape, Value};
use serde_json::{Map, Value as Json};
use xaif::model::IndexOrder;

/// Arguments and seeds of a run.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// `args`.
    pub inputs: Inputs<f64>,
    /// `seeds`.
    pub seeds: Values<f64>,
}

/// Reads arguments and seeds.
///
/// # Errors
/// Text that is not JSON, unknown keys, arrays that are not rectangular, values that are no numbers.
pub fn request(text: &str, order: IndexOrder) -> Result<Request, Fault> {
    let json: Json = serde_json::from_str(text).map_err(|e| fault("OB6003", format!("the input is not JSON: {e}")))?;
    let Json::Object(map) = json else { return Err(fault("OB6003", "the input is no JSON object")) };
    let mut out = Request::default();
    for (key, value) in &map {
        let place = match key.as_str() {
            "args" => &mut out.inputs.values,
            "seeds" => &mut out.seeds,
            _ => {
                let text = format!("the input has `args` and `seeds`, not `{key}`: values are given as {{\"args\": {{\"{key}\": ...}}}}");
                return Err(fault("OB6003", text));
            }
        };
        let Json::Object(entries) = value else { return Err(fault("OB6003", format!("`{key}` is no object"))) };
        *place = values(entries, order)?;
    }
    Ok(out)
}

fn values(map: &Map<String, Json>, order: IndexOrder) -> Result<Values<f64>, Fault> {
    map.iter().map(|(name, v)| Ok((name.clone(), data(name, v, order)?))).collect()
}

/// One variable.
///
/// # Errors
/// As [`request`].
pub fn data(name: &str, json: &Json, order: IndexOrder) -> Result<Data<f64>, Fault> {
    let mut shape = Shape::new();
    let mut at = json;
    while let Json::Array(list) = at {
        shape.push(list.len());
        match list.first() {
            Some(first) if shape.len() <= 7 => at = first,
            _ => break,
        }
    }
    let mut values = Vec::new();
    if shape.iter().all(|&n| n > 0) {
        let mut index = vec![0; shape.len()];
        loop {
            let mut element = json;
            for (d, &i) in index.iter().enumerate() {
                let ragged = || fault("OB6003", format!("`{name}` is no rectangular array"));
                let Json::Array(list) = element else { return Err(ragged()) };
                if list.len() != shape[d] {
                    return Err(ragged());
                }
                element = &list[i];
            }
            values.push(scalar(name, element)?);
            if !advance(&mut index, |d| shape[d], order) {
                break;
            }
        }
    }
    Ok(Data { shape, values })
}

fn scalar(name: &str, json: &Json) -> Result<Value<f64>, Fault> {
    let bad = |what: &str| fault("OB6003", format!("`{name}` holds {what}, where a number, a truth value or text is needed"));
    Ok(match json {
        Json::Null => Value::Undefined,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(i), ..) => Value::Int(i128::from(i), IntKind { bits: 64, unsigned: false }),
            (_, Some(u), _) => Value::Int(i128::from(u), IntKind { bits: 64, unsigned: true }),
            (.., Some(x)) => Value::real(x),
            _ => return Err(bad("a number out of range")),
        },
        Json::String(s) => match s.as_str() {
            "nan" | "NaN" => Value::real(f64::NAN),
            "inf" => Value::real(f64::INFINITY),
            "-inf" => Value::real(f64::NEG_INFINITY),
            text => Value::Text(text.into()),
        },
        Json::Array(_) | Json::Object(_) => return Err(bad("an array or an object")),
    })
}

/// A variable as JSON, nested as [`data`] reads it.
pub fn to_json<S: Scalar>(data: &Data<S>, order: IndexOrder) -> Json {
    fn nest<S: Scalar>(data: &Data<S>, strides: &[usize], depth: usize, at: usize) -> Json {
        match data.shape.get(depth) {
            None => data.values.get(at).map_or(Json::Null, element),
            Some(&n) => Json::Array((0..n).map(|k| nest(data, strides, depth + 1, at + k * strides[depth])).collect()),
        }
    }
    let rank = data.shape.len();
    let mut strides = vec![1; rank];
    let mut stride = 1;
    for k in 0..rank {
        let d = if order == IndexOrder::Column { k } else { rank - 1 - k };
        strides[d] = stride;
        stride *= data.shape[d];
    }
    nest(data, &strides, 0, 0)
}

fn element<S: Scalar>(v: &Value<S>) -> Json {
    match v {
        Value::Undefined => Json::Null,
        Value::Real(x, _) => {
            let x = x.value();
            serde_json::Number::from_f64(x).map_or_else(
                || {
                    Json::String(
                        if x.is_nan() {
                            "nan"
                        } else if x > 0.0 {
                            "inf"
                        } else {
                            "-inf"
                        }
                        .into(),
                    )
                },
                Json::Number,
            )
        }
        Value::Int(i, _) => match (i64::try_from(*i), u64::try_from(*i)) {
            (Ok(i), _) => Json::from(i),
            (_, Ok(u)) => Json::from(u),
            _ => Json::Null,
        },
        Value::Bool(b) => Json::Bool(*b),
        Value::Text(t) => Json::String(t.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_arrays_go_to_memory_order_and_back() {
        let text = r#"{"args":{"n":2,"a":[[1,2.5,3],[4,5,6]],"flag":true,"e":[]},"seeds":{"a":[1]}}"#;
        let by_column = request(text, IndexOrder::Column).unwrap();
        assert_eq!(by_column.inputs.values["a"].to_reals(), [1.0, 4.0, 2.5, 5.0, 3.0, 6.0]);
        assert_eq!(to_json(&by_column.inputs.values["a"], IndexOrder::Column).to_string(), "[[1,2.5,3],[4,5,6]]");
        let by_row = request(text, IndexOrder::Row).unwrap();
        assert_eq!(by_row.inputs.values["a"].to_reals(), [1.0, 2.5, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(by_row.inputs.values["e"].shape[..], [0]);
        assert_eq!(by_row.seeds["a"].to_reals(), [1.0]);
    }

    #[test]
    fn bad_input_is_refused() {
        for text in [
            "",
            "[]",
            r#"{"arg":{}}"#,
            r#"{"args":{"a":[[1,2],[3]]}}"#,
            r#"{"args":{"a":{}}}"#,
            r#"{"args":[1]}"#,
            r#"{"args":{"a":[1,[2]]}}"#,
        ] {
            assert_eq!(request(text, IndexOrder::Row).unwrap_err().code, "OB6003", "{text}");
        }
    }
}
