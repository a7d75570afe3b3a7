pub(crate) const EXTENSIONS: [&str; 1] = ["jpg"];
pub(crate) fn is_position(lat: f64, lon: f64) -> bool {
    lat.abs() <= 90.0 && lon.abs() <= 180.0
}
