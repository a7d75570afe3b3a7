//! Principal directions of vectors: eigenvectors of their second moments, which are not centred,
//! because what all texts have in common distinguishes them from other data.

use super::teacher::Vectors;

/// Rounds of rotations; a matrix of a few hundred columns needs about ten.
const SWEEPS_MAX: usize = 40;
/// Share of the diagonal's squares below which off-diagonal entries count as zero.
const REST_SHARE_MAX: f64 = 1e-18;

/// The first `count` principal directions, largest first, concatenated.
pub(super) fn principal(vectors: &Vectors, count: usize) -> Vec<Vec<f32>> {
    let width = vectors.width;
    let mut moments = vec![0.0_f64; width * width];
    for vector in vectors.rows() {
        for (row, left) in moments.chunks_exact_mut(width).zip(vector) {
            for (sum, right) in row.iter_mut().zip(vector) {
                *sum += f64::from(*left) * f64::from(*right);
            }
        }
    }
    let (values, directions) = eigen(moments, width);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|left, right| values[*right].total_cmp(&values[*left]));
    let direction = |number: &usize| {
        directions[number * width..(number + 1) * width].iter().map(|x| *x as f32).collect()
    };
    order.iter().take(count).map(direction).collect()
}

/// Eigenvalues and eigenvectors (as rows) of a symmetric matrix, by Jacobi rotations.
fn eigen(mut matrix: Vec<f64>, width: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = vec![0.0; width * width];
    (0..width).for_each(|number| vectors[number * width + number] = 1.0);
    for _ in 0..SWEEPS_MAX {
        let square = |number: usize| matrix[number] * matrix[number];
        let diagonal: f64 = (0..width).map(|number| square(number * width + number)).sum();
        let all: f64 = (0..width * width).map(square).sum();
        if all - diagonal <= REST_SHARE_MAX.max(f64::EPSILON * width as f64) * diagonal {
            break;
        }
        for left in 0..width {
            for right in left + 1..width {
                rotate(&mut matrix, &mut vectors, width, left, right);
            }
        }
    }
    ((0..width).map(|number| matrix[number * width + number]).collect(), vectors)
}

/// Rotates two coordinates so that their off-diagonal entry becomes zero.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], width: usize, left: usize, right: usize) {
    let mixed = matrix[left * width + right];
    if mixed == 0.0 {
        return;
    }
    let slope = (matrix[right * width + right] - matrix[left * width + left]) / (2.0 * mixed);
    let tangent = slope.signum() / (slope.abs() + (slope * slope + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for row in matrix.chunks_exact_mut(width) {
        (row[left], row[right]) =
            (cosine * row[left] - sine * row[right], sine * row[left] + cosine * row[right]);
    }
    for whole in [matrix, vectors] {
        for column in 0..width {
            let (a, b) = (whole[left * width + column], whole[right * width + column]);
            whole[left * width + column] = cosine * a - sine * b;
            whole[right * width + column] = sine * a + cosine * b;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_direction_comes_first() {
        // Spread mostly along (3, 4), a little across it, not at all upward.
        let numbers = vec![3.0, 4.0, 0.0, -6.0, -8.0, 0.0, 0.4, -0.3, 0.0];
        let directions = principal(&Vectors { width: 3, numbers }, 2);
        let expect = [[0.6, 0.8, 0.0], [0.8, -0.6, 0.0]];
        for (found, expect) in directions.iter().zip(expect) {
            let dot: f32 = found.iter().zip(expect).map(|(found, expect)| found * expect).sum();
            assert!((dot.abs() - 1.0).abs() < 1e-6, "{found:?} is not {expect:?}");
        }
    }
}
