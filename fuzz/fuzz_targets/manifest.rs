#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dagwood_fuzz::manifest(data));
