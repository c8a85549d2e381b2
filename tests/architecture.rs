//! The house rules: who may use whom, and who alone may touch files, clocks, the screen and the GPU.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms from the ground up; a room uses only rooms of earlier rows.
const FLOORS: [&[&str]; 12] = [
    &["units"],
    &["model"],
    &["pattern"],
    &["stats"],
    &["executor"],
    &["gpu", "sweep", "virtual_gpu"],
    &["record"],
    &["fit"],
    &["chart"],
    &["findings"],
    &["lab", "report"],
    &["cli"],
];

/// Longest source file, in lines, its tests apart.
const LINES_MAX: usize = 450;

/// A file of `src`, and its code without comments and without its unit tests.
struct Source {
    path: PathBuf,
    code: String,
    lines: usize,
}

impl Source {
    /// The room that it is in: the folder or file right under `src`.
    fn room(&self) -> String {
        let inside = self.path.strip_prefix("src").expect("a path in src");
        let first = inside.iter().next().expect("a name");
        first.to_string_lossy().trim_end_matches(".rs").to_owned()
    }

    fn read(path: PathBuf) -> Self {
        let text = fs::read_to_string(&path).expect("text");
        let tests = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
        let code = &text[..tests];
        let without_comments = code
            .lines()
            .map(|line| line.split_once("//").map_or(line, |(before, _)| before));
        Self {
            path,
            lines: code.lines().count(),
            code: without_comments.collect::<Vec<_>>().join("\n"),
        }
    }

    /// How often `word` stands in the code, not as a part of a longer name.
    fn count(&self, word: &str) -> usize {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        self.code
            .match_indices(word)
            .filter(|(at, _)| {
                let before = self.code[..*at].chars().next_back();
                let after = self.code[at + word.len()..].chars().next();
                let begins = !before.is_some_and(is_name);
                let ends = !(word.ends_with(is_name) && after.is_some_and(is_name));
                begins && ends
            })
            .count()
    }

    /// Rooms that the code names by `crate::`, singly or in a group.
    fn rooms_used(&self) -> BTreeSet<String> {
        let mut used = BTreeSet::new();
        for (at, prefix) in self.code.match_indices("crate::") {
            let rest = &self.code[at + prefix.len()..];
            let paths = match rest.strip_prefix('{') {
                None => vec![rest],
                Some(group) => outer_parts(group),
            };
            for path in paths {
                let name: String = path
                    .trim_start()
                    .chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                used.insert(name);
            }
        }
        used
    }
}

/// The parts of a use group, up to its closing brace, split at the commas that no inner group holds.
fn outer_parts(group: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    let mut folders = vec![Path::new("src").to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(Source::read(path));
            }
        }
    }
    assert!(sources.len() > 50, "only {} files found", sources.len());
    sources
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

#[test]
fn every_room_uses_only_rooms_below_it() {
    let mut uses = 0;
    for source in sources() {
        let room = source.room();
        if ["main", "lib"].contains(&room.as_str()) {
            continue;
        }
        let own = floor(&room)
            .unwrap_or_else(|| panic!("{} is in no room of the plan", source.path.display()));
        let deep = source.path.iter().count() > 3;
        assert!(
            deep || source.count("super::super") == 0,
            "{} leaves its room by super; name rooms by crate::",
            source.path.display()
        );
        for used in source.rooms_used().into_iter().filter(|used| *used != room) {
            let Some(theirs) = floor(&used) else {
                panic!(
                    "{} uses crate::{used}, which is no room",
                    source.path.display()
                );
            };
            uses += 1;
            assert!(
                theirs < own,
                "{}: {room} must not use {used}",
                source.path.display()
            );
        }
    }
    assert!(uses > 40, "only {uses} uses were seen");
}

#[test]
fn the_library_declares_its_rooms_in_the_order_of_the_floors() {
    let lib = fs::read_to_string("src/lib.rs").expect("text");
    let floors: Vec<usize> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .map(|room| floor(room).unwrap_or_else(|| panic!("{room} is in no room of the plan")))
        .collect();
    assert!(floors.is_sorted(), "{lib}");
    assert!(floors.len() >= 9);
}

/// Words that only the rooms named may have.
const RESERVED: [(&str, &[&str]); 22] = [
    ("wgpu::", &["gpu"]),
    ("naga::", &["gpu"]),
    ("pollster::", &["gpu"]),
    ("bytemuck::", &["gpu"]),
    ("plotters::", &["chart"]),
    ("askama::", &["report"]),
    ("resvg::", &["chart"]),
    ("clap::", &["cli"]),
    ("anyhow::", &["cli"]),
    ("indicatif::", &["cli"]),
    ("ctrlc::", &["cli"]),
    ("sysinfo::", &["cli"]),
    ("stdout()", &["cli"]),
    ("stderr()", &["cli"]),
    // They panic where the reader of a pipe has gone; rooms below print nothing at all.
    ("println!", &[]),
    ("eprintln!", &[]),
    ("print!", &[]),
    ("eprint!", &[]),
    ("std::fs", &["record", "cli"]),
    ("File::", &["record", "cli"]),
    ("std::time", &["gpu", "cli"]),
    ("std::env", &["cli"]),
];

#[test]
fn files_clocks_printing_and_the_gpu_stay_in_their_rooms() {
    let sources = sources();
    for (word, rooms) in RESERVED {
        for source in sources.iter().filter(|source| source.count(word) > 0) {
            assert!(
                rooms.contains(&source.room().as_str()) || source.room() == "main",
                "{} has `{word}`, which belongs to {rooms:?}",
                source.path.display()
            );
        }
    }
    for word in [
        "dbg!",
        "todo!",
        "unimplemented!",
        "process::exit",
        "std::thread",
        "Instant::now",
    ] {
        for source in sources.iter().filter(|source| source.count(word) > 0) {
            let allowed = match word {
                "Instant::now" => ["gpu", "cli"].contains(&source.room().as_str()),
                // The second Ctrl-C.
                "process::exit" => source.path.ends_with("cli/run.rs"),
                _ => false,
            };
            assert!(allowed, "{} has `{word}`", source.path.display());
        }
    }
}

#[test]
fn the_words_of_the_rules_are_found_where_they_are_allowed() {
    let sources = sources();
    for word in [
        "wgpu::",
        "plotters::",
        "resvg::",
        "clap::",
        "anyhow::",
        "stderr()",
        "std::fs",
        "std::time",
    ] {
        assert!(
            sources.iter().any(|source| source.count(word) > 0),
            "nobody has `{word}` any more; does the rule still look for the right word?"
        );
    }
}

#[test]
fn unsafe_stands_in_one_place() {
    let places: Vec<_> = sources()
        .into_iter()
        .filter(|source| source.count("unsafe") > 0)
        .map(|source| (source.path.clone(), source.count("unsafe")))
        .collect();
    assert_eq!(places, [(PathBuf::from("src/gpu/kernel.rs"), 1)]);
}

#[test]
fn no_source_file_is_too_long_to_read() {
    for source in sources() {
        assert!(
            source.lines < LINES_MAX,
            "{} has {} lines, its tests apart",
            source.path.display(),
            source.lines
        );
    }
}
