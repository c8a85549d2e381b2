//! Another process that reads memory on one core: the bench starts itself with a word that makes it one.

use std::hint::black_box;
use std::io;
use std::process::{Child, Command};

/// What it reads, over and over.
const BYTES: usize = 1 << 30;

const WORD: &str = "read-memory";

/// The reader, until it is dropped.
pub(crate) struct Reader(Child);

impl Reader {
    pub(crate) fn start() -> io::Result<Self> {
        let program = std::env::current_exe()?;
        Command::new(program).arg(WORD).spawn().map(Self)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing else to do about it.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Never returns where this process is the reader.
pub(crate) fn read_if_reader() {
    if std::env::args().any(|argument| argument == WORD) {
        let memory = vec![1_u64; BYTES / 8];
        loop {
            black_box(
                memory
                    .iter()
                    .fold(0_u64, |sum, word| sum.wrapping_add(*word)),
            );
        }
    }
}
