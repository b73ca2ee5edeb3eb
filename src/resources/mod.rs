//! The resource DAG: typed resources linked parent to child in one SQLite file, the *registry*.
