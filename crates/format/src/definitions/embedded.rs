//! Built-in system definitions, listed and packed by the build script.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

#[cfg(test)]
mod tests {
    use widetui_definition::syntax;

    use super::SYSTEMS;

    /// Compares positions, too, as `Spanned` prints them.
    #[test]
    fn packed_definitions_equal_their_files() {
        for (name, text, packed) in SYSTEMS {
            let written = syntax::read(name, text).unwrap();
            let packed = syntax::unpack(packed).unwrap();
            let (written, packed) = (format!("{written:#?}"), format!("{packed:#?}"));
            let mut lines = written.lines().zip(packed.lines());
            let differs = lines.find(|(written, packed)| written != packed);
            assert_eq!(differs, None, "{name}");
            assert_eq!(written.len(), packed.len(), "{name}");
        }
    }
}
