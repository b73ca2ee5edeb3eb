//! The directory contracts of a `.ai/` layer: what each directory owes, and which contracts apply to it.
