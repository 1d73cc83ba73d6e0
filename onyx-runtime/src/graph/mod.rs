//! Graphs: loading, generating, storing.
