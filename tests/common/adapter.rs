//! The Vulkan adapter that tests run on: the machine's own, or a software one.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

use coalescope::executor::Footprint;
use coalescope::gpu::{self, BackendName, FoundAdapter, GpuExecutor, GpuSettings};

/// The adapter; a machine without one fails the test, so that nothing passes unseen.
fn vulkan() -> FoundAdapter {
    let mut found = gpu::list(&[BackendName::Vulkan]);
    let adapters: Vec<_> = found
        .iter()
        .map(|found| found.description.clone())
        .collect();
    let choice = gpu::choose(&adapters, None, false).unwrap_or_else(|error| {
        panic!("{error}: kernels are tested on a real driver; run scripts/ensure-vulkan.sh, which installs a software one")
    });
    found.swap_remove(choice.index)
}

/// An executor, and the turn of the test that holds it: a software driver takes every processor, so that tests side by
/// side would only wait for one another.
pub(crate) struct Opened {
    executor: GpuExecutor,
    _turn: MutexGuard<'static, ()>,
}

impl Deref for Opened {
    type Target = GpuExecutor;

    fn deref(&self) -> &GpuExecutor {
        &self.executor
    }
}

impl DerefMut for Opened {
    fn deref_mut(&mut self) -> &mut GpuExecutor {
        &mut self.executor
    }
}

/// An executor on the adapter with its memory filled.
pub(crate) fn open(footprint: Footprint, settings: GpuSettings) -> Opened {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let executor = GpuExecutor::open(&vulkan(), footprint, settings);
    Opened {
        executor: executor.unwrap_or_else(|error| panic!("{error}")),
        _turn: turn,
    }
}
