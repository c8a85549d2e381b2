//! An open device: errors as values, waits with a limit.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::adapter::FoundAdapter;
use crate::executor::ExecutorError;

/// Longest wait for one submission; far above what a slow device needs for the 100 ms that a submission is cut to.
const WAIT_LIMIT: Duration = Duration::from_secs(60);

/// A device with its queue.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    /// What drivers reported outside of any call.
    troubles: Arc<Mutex<Vec<ExecutorError>>>,
}

impl Device {
    /// Opens `found` with its real limits in full and those of `features` that it has.
    pub(super) fn open(
        found: &FoundAdapter,
        features: wgpu::Features,
    ) -> Result<Self, ExecutorError> {
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("coalescope"),
            required_features: features & found.handle.features(),
            required_limits: found.handle.limits(),
            memory_hints: wgpu::MemoryHints::Performance,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(found.handle.request_device(&descriptor))
            .map_err(|error| ExecutorError::Refused(error.to_string()))?;
        let troubles = Arc::new(Mutex::new(Vec::new()));
        let on_error = Arc::clone(&troubles);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note(&on_error, ExecutorError::Refused(error.to_string()));
        }));
        let on_loss = Arc::clone(&troubles);
        device.set_device_lost_callback(move |reason, message| {
            note(
                &on_loss,
                ExecutorError::DeviceLost(format!("{reason:?}: {message}")),
            );
        });
        Ok(Self {
            device,
            queue,
            troubles,
        })
    }

    /// Runs `work`, turning every error that the device reports meanwhile into a value.
    pub(super) fn checked<T>(
        &self,
        work: impl FnOnce(&wgpu::Device) -> T,
    ) -> Result<T, wgpu::Error> {
        let scopes = [
            wgpu::ErrorFilter::Internal,
            wgpu::ErrorFilter::OutOfMemory,
            wgpu::ErrorFilter::Validation,
        ]
        .map(|filter| self.device.push_error_scope(filter));
        let value = work(&self.device);
        let errors: Vec<_> = scopes
            .into_iter()
            .rev()
            .filter_map(|scope| pollster::block_on(scope.pop()))
            .collect();
        errors.into_iter().next().map_or(Ok(value), Err)
    }

    /// A buffer, or the reason why there is none.
    pub(super) fn buffer(
        &self,
        label: &str,
        bytes: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer, ExecutorError> {
        let descriptor = wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes,
            usage,
            mapped_at_creation: false,
        };
        self.checked(|device| device.create_buffer(&descriptor))
            .map_err(|error| match error {
                wgpu::Error::OutOfMemory { .. } => ExecutorError::OutOfMemory {
                    asked_bytes: bytes,
                    reason: "out of memory".to_owned(),
                },
                other => ExecutorError::Refused(other.to_string()),
            })
    }

    /// Waits until `submission` has run, within the limit.
    pub(super) fn wait(&self, submission: wgpu::SubmissionIndex) -> Result<(), ExecutorError> {
        let poll = wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: Some(WAIT_LIMIT),
        };
        // wgpu panics inside poll when the device is lost; for a run that is one more kind of failure.
        let polled = catch_unwind(AssertUnwindSafe(|| self.device.poll(poll)));
        self.trouble()?;
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => Err(ExecutorError::Timeout {
                seconds: WAIT_LIMIT.as_secs(),
            }),
            Ok(Err(error)) => Err(ExecutorError::DeviceLost(error.to_string())),
            Err(_) => Err(ExecutorError::DeviceLost(
                "the driver gave up while it was waited for".to_owned(),
            )),
        }
    }

    /// The bytes that `submission` left in `buffer`, once it has run.
    pub(super) fn read(&self, buffer: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>, ExecutorError> {
        let slice = buffer.slice(..bytes);
        slice.map_async(wgpu::MapMode::Read, |_| ());
        let poll = wgpu::PollType::Wait {
            submission_index: None,
            timeout: Some(WAIT_LIMIT),
        };
        let polled = catch_unwind(AssertUnwindSafe(|| self.device.poll(poll)));
        self.trouble()?;
        if !matches!(polled, Ok(Ok(_))) {
            return Err(ExecutorError::DeviceLost(
                "results could not be read back".to_owned(),
            ));
        }
        let view = slice
            .get_mapped_range()
            .map_err(|error| ExecutorError::Refused(error.to_string()))?;
        let content = view.to_vec();
        drop(view);
        buffer.unmap();
        Ok(content)
    }

    /// The first trouble that came outside of any call; a lost device comes before its consequences.
    fn trouble(&self) -> Result<(), ExecutorError> {
        let mut troubles = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = troubles
            .iter()
            .find(|trouble| matches!(trouble, ExecutorError::DeviceLost(_)))
            .cloned();
        let first = lost.or_else(|| troubles.first().cloned());
        troubles.retain(|trouble| matches!(trouble, ExecutorError::DeviceLost(_)));
        first.map_or(Ok(()), Err)
    }
}

fn note(troubles: &Mutex<Vec<ExecutorError>>, trouble: ExecutorError) {
    troubles
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(trouble);
}
