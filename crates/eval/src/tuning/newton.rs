//! Minimises a convex function of a few variables by Newton's method.
//!
//! Both models that are fitted here, the weights of the parts and the probability of relevance,
//! have a convex loss in about a dozen variables, whose gradient and curvature are sums over
//! examples. About ten steps find the minimum to machine precision, without a step size, randomness
//! or a number of rounds to choose. Each step is halved until it descends.

/// Most steps; six to ten are usual.
const STEPS_MAX: usize = 60;
/// Most times that a step is halved.
const HALVINGS_MAX: usize = 40;
/// A step that gains less than this is the last.
const GAIN_MIN: f64 = 1e-12;

/// A function's value, gradient and curvature at one point.
#[derive(Clone, Debug, PartialEq)]
pub struct Slope {
    pub value: f64,
    pub gradient: Vec<f64>,
    /// Second derivatives, row by row.
    pub curvature: Vec<Vec<f64>>,
}

impl Slope {
    /// Zero, for this number of variables.
    pub fn flat(variables: usize) -> Self {
        Self {
            value: 0.0,
            gradient: vec![0.0; variables],
            curvature: vec![vec![0.0; variables]; variables],
        }
    }

    /// Adds `ridge` / 2 × the square of each variable, which makes the minimum unique.
    pub fn with_ridge(mut self, ridge: f64, at: &[f64]) -> Self {
        for (place, variable) in at.iter().enumerate() {
            self.value += ridge / 2.0 * variable * variable;
            if let (Some(gradient), Some(row)) =
                (self.gradient.get_mut(place), self.curvature.get_mut(place))
            {
                *gradient += ridge * variable;
                row.iter_mut().skip(place).take(1).for_each(|second| *second += ridge);
            }
        }
        self
    }
}

/// The minimum of `slope`, starting at 0 in each variable.
pub fn minimise(variables: usize, slope: impl Fn(&[f64]) -> Slope) -> Vec<f64> {
    let mut at = vec![0.0; variables];
    let mut here = slope(&at);
    for _ in 0..STEPS_MAX {
        let Some(step) = solve(&here.curvature, &here.gradient) else { break };
        let mut length = 1.0;
        let mut next = None;
        for _ in 0..HALVINGS_MAX {
            let there: Vec<f64> =
                at.iter().zip(&step).map(|(from, step)| from - length * step).collect();
            let found = slope(&there);
            if found.value < here.value {
                next = Some((there, found));
                break;
            }
            length /= 2.0;
        }
        let Some((there, found)) = next else { break };
        let gain = here.value - found.value;
        (at, here) = (there, found);
        if gain < GAIN_MIN {
            break;
        }
    }
    at
}

/// Solves matrix · x = right for a symmetric positive definite matrix (Cholesky); `None` if it is
/// not positive definite.
fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let mut lower: Vec<Vec<f64>> = Vec::with_capacity(matrix.len());
    for (row, values) in matrix.iter().enumerate() {
        let mut made: Vec<f64> = Vec::with_capacity(row + 1);
        for (column, value) in values.iter().take(row).enumerate() {
            let other = lower.get(column)?;
            made.push((value - product(&made, other)) / other.get(column)?);
        }
        let pivot = values.get(row)? - product(&made, &made);
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        made.push(pivot.sqrt());
        lower.push(made);
    }
    let mut forward: Vec<f64> = Vec::with_capacity(right.len());
    for (row, value) in lower.iter().zip(right) {
        forward.push((value - product(row, &forward)) / row.last()?);
    }
    let mut solution = forward;
    for place in (0..solution.len()).rev() {
        let pivot = lower.get(place)?.get(place)?;
        let later: f64 = (place + 1..solution.len())
            .map(|row| Some(lower.get(row)?.get(place)? * solution.get(row)?))
            .sum::<Option<f64>>()?;
        let value = solution.get_mut(place)?;
        *value = (*value - later) / pivot;
    }
    Some(solution)
}

/// The dot product of two rows, up to the length of the shorter.
pub fn product(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_of_equations_is_solved() {
        let matrix = [vec![4.0, 2.0, 0.0], vec![2.0, 5.0, 1.0], vec![0.0, 1.0, 3.0]];
        let solution = solve(&matrix, &[8.0, 15.0, 11.0]).unwrap();
        let close = |left: f64, right: f64| (left - right).abs() < 1e-12;
        let back: Vec<f64> = matrix.iter().map(|row| product(row, &solution)).collect();
        assert!(close(back[0], 8.0) && close(back[1], 15.0) && close(back[2], 11.0), "{back:?}");
        assert_eq!(solve(&[vec![0.0]], &[1.0]), None);
        assert_eq!(solve(&[vec![f64::NAN]], &[1.0]), None);
    }

    #[test]
    fn the_minimum_of_a_curve_is_found() {
        // (x − 3)² + (y + 1)⁴ + y² has its minimum in y where 4 (y + 1)³ + 2 y = 0.
        let found = minimise(2, |at| {
            let (x, y) = (at[0], at[1]);
            Slope {
                value: (x - 3.0).powi(2) + (y + 1.0).powi(4) + y * y,
                gradient: vec![2.0 * (x - 3.0), 4.0 * (y + 1.0).powi(3) + 2.0 * y],
                curvature: vec![vec![2.0, 0.0], vec![0.0, 12.0 * (y + 1.0).powi(2) + 2.0]],
            }
        });
        assert!((found[0] - 3.0).abs() < 1e-5, "{found:?}");
        assert!((4.0 * (found[1] + 1.0).powi(3) + 2.0 * found[1]).abs() < 1e-4, "{found:?}");
    }
}
