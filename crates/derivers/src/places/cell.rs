//! A grid over the Earth whose cells are about 150 m wide everywhere.
//!
//! A place without a name needs an identity that does not move when one more photo is taken, so
//! positions are assigned to the cells of a fixed grid. A row is 2⁻¹⁷ of the distance from pole to
//! pole (153 m). The number of columns in a row makes its cells about as wide as high, rounded to a
//! power of two, so that the columns of neighbouring rows align. Columns wrap around: the cell west
//! of the date line is adjacent to the one east of it.

use std::collections::BTreeSet;
use std::fmt;

/// Rows from the South Pole to the North Pole.
const ROWS: u32 = 1 << 17;
/// Columns at the equator, as a power of two.
const COLUMNS_LOG2_MAX: f64 = 18.0;

/// Degrees on Earth, WGS 84.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Position {
    pub(super) lat: f64,
    pub(super) lon: f64,
}

impl Position {
    /// `None` for coordinates off the Earth, and for (0, 0), which cameras write when they have no
    /// position.
    pub(super) fn new(lat: f64, lon: f64) -> Option<Self> {
        let on_earth = (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon);
        (on_earth && (lat != 0.0 || lon != 0.0)).then_some(Self { lat, lon })
    }
}

/// A cell of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell {
    row: u32,
    column: u32,
}

impl Cell {
    /// The cell that contains a position.
    pub(super) fn of(position: Position) -> Self {
        // A cast of a float saturates, so no position leaves the grid.
        let row = ((position.lat + 90.0) / 180.0 * f64::from(ROWS)) as u32;
        let row = row.min(ROWS - 1);
        let columns = columns(row);
        let column = ((position.lon + 180.0) / 360.0 * f64::from(columns)) as u32;
        Self { row, column: column % columns }
    }

    /// The cell and its neighbours; at most twelve.
    pub(super) fn around(self) -> BTreeSet<Self> {
        let own = columns(self.row);
        let mut cells = BTreeSet::new();
        for row in self.row.saturating_sub(1)..=(self.row + 1).min(ROWS - 1) {
            let columns = columns(row);
            // From one column before the first adjacent one to one after the last.
            let (first, last) = if columns >= own {
                let fits = columns / own;
                (i64::from(self.column * fits) - 1, i64::from((self.column + 1) * fits))
            } else {
                let fits = own / columns;
                let before = i64::from(self.column.is_multiple_of(fits));
                let after = i64::from((self.column + 1).is_multiple_of(fits));
                let within = i64::from(self.column / fits);
                (within - before, within + after)
            };
            for column in first..=last {
                let column =
                    u32::try_from(column.rem_euclid(i64::from(columns))).unwrap_or_default();
                cells.insert(Self { row, column });
            }
        }
        cells
    }

    /// Its centre.
    pub(super) fn middle(self) -> Position {
        let lat = (f64::from(self.row) + 0.5) / f64::from(ROWS) * 180.0 - 90.0;
        let lon = (f64::from(self.column) + 0.5) / f64::from(columns(self.row)) * 360.0 - 180.0;
        Position { lat, lon }
    }

    /// Parses a cell's name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (row, column) = name.split_once('-')?;
        let cell = Self {
            row: u32::from_str_radix(row, 16).ok()?,
            column: u32::from_str_radix(column, 16).ok()?,
        };
        (cell.row < ROWS && cell.column < columns(cell.row) && cell.to_string() == name)
            .then_some(cell)
    }
}

/// `14c3a-2221f`: row and column as hexadecimal numbers of fixed length, so that names sort like
/// cells.
impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:05x}-{:05x}", self.row, self.column)
    }
}

/// The number of columns in a row.
fn columns(row: u32) -> u32 {
    let middle = (f64::from(row) + 0.5) / f64::from(ROWS) * std::f64::consts::PI;
    let log2 =
        libm::round(COLUMNS_LOG2_MAX + libm::log2(libm::sin(middle))).clamp(0.0, COLUMNS_LOG2_MAX);
    1 << log2 as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(lat: f64, lon: f64) -> Cell {
        Cell::of(Position::new(lat, lon).unwrap())
    }

    #[test]
    fn cells_are_about_as_wide_as_high() {
        for lat in [0.1, 30.0, 45.0, 57.7, 70.0, 89.0] {
            let columns = f64::from(columns(cell(lat, 10.0).row));
            let width_m = 40_075_000.0 * libm::cos(lat.to_radians()) / columns;
            assert!((105.0..220.0).contains(&width_m), "{lat}: {width_m}");
        }
    }

    #[test]
    fn adjacency_is_mutual_and_wraps_around() {
        let mut rows: Vec<u32> = vec![0, 1, 2, 3, ROWS - 2, ROWS - 1];
        rows.extend(
            (1..ROWS)
                .filter(|&row| columns(row) != columns(row - 1))
                .flat_map(|row| [row - 1, row]),
        );
        for row in rows {
            for column in [0, 1, columns(row) / 2, columns(row) - 1] {
                let cell = Cell { row, column: column % columns(row) };
                let around = cell.around();
                assert!(around.contains(&cell) && around.len() <= 12, "{cell} {}", around.len());
                assert!(around.iter().all(|other| other.around().contains(&cell)), "{cell}");
            }
        }
        assert!(cell(10.0, 179.9999).around().contains(&cell(10.0, -179.9999)));
        assert_eq!(cell(10.0, 180.0), cell(10.0, -180.0));
    }

    #[test]
    fn invalid_positions_are_refused_and_all_others_have_a_cell() {
        for (lat, lon) in [
            (f64::NAN, 1.0),
            (1.0, f64::NAN),
            (90.1, 0.0),
            (0.0, 180.1),
            (f64::INFINITY, 0.0),
            (0.0, 0.0),
        ] {
            assert_eq!(Position::new(lat, lon), None);
        }
        for (lat, lon) in [(90.0, 0.0), (-90.0, 180.0), (90.0, -180.0), (0.0, 1.0), (-0.0, -180.0)]
        {
            let cell = cell(lat, lon);
            assert_eq!(Cell::parse(&cell.to_string()), Some(cell));
            let middle = cell.middle();
            assert_eq!(Cell::of(middle), cell);
        }
        for name in ["", "-", "fffff-00000", "00000-fffff", "1-1", "00000-0000g", "+0000-00000"] {
            assert_eq!(Cell::parse(name), None, "{name}");
        }
    }
}
