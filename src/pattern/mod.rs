//! The grammar of access patterns, and what each family addresses.
