//! The folder of a run: opened before the first dispatch, readable at every moment after.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::card::RunCard;
use super::row::Row;
use super::sample_row::SampleRow;

/// Longest folder name made of an adapter's name.
const SLUG_CHARACTERS: usize = 60;

/// A run's folder with its open files.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    samples: csv::Writer<File>,
}

/// A file of a run that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The file system refused.
    #[error("cannot {doing} '{}'", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A row could not be written or read.
    #[error("cannot {doing} the rows of '{}'", path.display())]
    Csv {
        /// What was tried.
        doing: &'static str,
        /// The path.
        path: PathBuf,
        /// The reason.
        source: csv::Error,
    },
}

impl Folder {
    /// Makes `out/<adapter>/<time>` and opens its files; a second run of the same second gets a number behind it.
    pub fn create(out: &Path, adapter_name: &str, time: &str) -> Result<Self, FolderError> {
        let parent = out.join(slug(adapter_name));
        fs::create_dir_all(&parent).map_err(failed("create the folder", &parent))?;
        let mut path = parent.join(time);
        let mut number = 1;
        while let Err(error) = fs::create_dir(&path) {
            if error.kind() != io::ErrorKind::AlreadyExists || number > 999 {
                return Err(failed("create the folder", &path)(error));
            }
            number += 1;
            path = parent.join(format!("{time}-{number}"));
        }
        let samples = path.join("samples.csv");
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&samples)
            .map_err(failed("create", &samples))?;
        Ok(Self {
            path,
            samples: csv::Writer::from_writer(file),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds a sample, on disk when this returns.
    pub fn add_sample(&mut self, sample: &SampleRow) -> Result<(), FolderError> {
        let path = || self.path.join("samples.csv");
        self.samples
            .serialize(sample)
            .map_err(|source| FolderError::Csv {
                doing: "write",
                path: path(),
                source,
            })?;
        self.samples.flush().map_err(failed("write", &path()))
    }

    /// Replaces `measurements.csv` by `rows`; at no moment is it missing or half written.
    pub fn write_rows(&self, rows: &[Row]) -> Result<(), FolderError> {
        let path = self.path.join("measurements.csv");
        let mut writer = csv::WriterBuilder::new()
            .has_headers(false)
            .from_writer(Vec::new());
        let written = writer
            .write_record(Row::columns())
            .and_then(|()| rows.iter().try_for_each(|row| writer.serialize(row)));
        written.map_err(|source| FolderError::Csv {
            doing: "write",
            path: path.clone(),
            source,
        })?;
        let text = writer
            .into_inner()
            .map_err(|error| failed("write", &path)(error.into_error()))?;
        self.write("measurements.csv", &text)
    }

    /// Replaces `run.json` by `card`.
    pub fn write_card(&self, card: &RunCard) -> Result<(), FolderError> {
        let path = self.path.join("run.json");
        let mut text = pretty(card).map_err(|error| failed("write", &path)(error))?;
        text.push(b'\n');
        self.write("run.json", &text)
    }

    /// Replaces the file `name` by `content`, by way of a file beside it.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), FolderError> {
        write_file(&self.path, name, content)
    }
}

/// Replaces the file `name` in `folder` by `content`, by way of a file beside it; the folder is made if missing.
pub fn write_file(folder: &Path, name: &str, content: &[u8]) -> Result<(), FolderError> {
    let (path, beside) = (folder.join(name), folder.join(format!(".{name}.part")));
    let write = || {
        fs::create_dir_all(folder)?;
        let mut file = File::create(&beside)?;
        file.write_all(content)?;
        fs::rename(&beside, &path)
    };
    write().map_err(failed("write", &path))
}

/// What charts show of a `run.json`, and no row tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct RunFacts {
    /// When the run began.
    pub started_utc: String,
    /// The last-level cache, where the system told.
    #[serde(default)]
    pub last_level_cache_bytes: Option<u64>,
}

/// The facts of the run in `folder`; `None` where its `run.json` cannot be read.
///
/// Nothing else of the file is looked at, so that a run of another version has its date too.
pub fn read_facts(folder: &Path) -> Option<RunFacts> {
    let text = fs::read(folder.join("run.json")).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The rows of a `measurements.csv`.
pub fn read_rows(path: &Path) -> Result<Vec<Row>, FolderError> {
    let wrap = |source| FolderError::Csv {
        doing: "read",
        path: path.to_owned(),
        source,
    };
    csv::Reader::from_path(path)
        .map_err(wrap)?
        .deserialize()
        .collect::<Result<_, _>>()
        .map_err(wrap)
}

fn pretty(value: &impl Serialize) -> io::Result<Vec<u8>> {
    serde_json::to_vec_pretty(value).map_err(io::Error::from)
}

fn failed(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Io {
        doing,
        path: path.clone(),
        source,
    }
}

/// A name as every file system takes it: lower-case letters, digits and single hyphens.
fn slug(name: &str) -> String {
    let words: Vec<String> = name
        .to_lowercase()
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let slug: String = words.join("-").chars().take(SLUG_CHARACTERS).collect();
    let slug = slug.trim_matches('-');
    if slug.is_empty() {
        "unnamed-adapter".to_owned()
    } else {
        slug.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapter_names_become_folder_names() {
        for (name, folder) in [
            (
                "llvmpipe (LLVM 15.0.6, 256 bits)",
                "llvmpipe-llvm-15-0-6-256-bits",
            ),
            ("Foo, \"Bar\" <X> & Y/../..", "foo-bar-x-y"),
            ("\n\u{1F600}", "unnamed-adapter"),
        ] {
            assert_eq!(slug(name), folder);
        }
        assert!(slug(&"x".repeat(300)).len() <= SLUG_CHARACTERS);
    }

    #[test]
    fn two_runs_of_one_second_have_two_folders() {
        let out = tempfile::tempdir().expect("a folder for the test");
        let first = Folder::create(out.path(), "gpu", "now").expect("the first");
        let second = Folder::create(out.path(), "gpu", "now").expect("the second");
        assert_ne!(first.path(), second.path());
        assert!(second.path().ends_with("gpu/now-2"));
    }
}
