//! Pipelines and the layouts that all kernels share.

use super::device::Device;
use crate::executor::ExecutorError;

/// Bind group and pipeline layouts; explicit, so that one bind group serves every kernel.
#[derive(Debug)]
pub(super) struct Layouts {
    pub(super) data_group: wgpu::BindGroupLayout,
    pub(super) slot_group: wgpu::BindGroupLayout,
    /// Two index lists.
    pub(super) lists_group: wgpu::BindGroupLayout,
    /// One writable buffer: memory that is stored to, echoed addresses, subgroup sizes.
    pub(super) out_group: wgpu::BindGroupLayout,
    pub(super) fill_group: wgpu::BindGroupLayout,
    pub(super) sentinel_group: wgpu::BindGroupLayout,
    /// Kernels that write nothing but checksums.
    pub(super) reading: wgpu::PipelineLayout,
    /// Kernels that write to a buffer beside.
    pub(super) writing: wgpu::PipelineLayout,
    pub(super) fill: wgpu::PipelineLayout,
    pub(super) sentinel: wgpu::PipelineLayout,
    pub(super) empty: wgpu::PipelineLayout,
    pub(super) probe: wgpu::PipelineLayout,
}

const READ: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: true };
const WRITE: wgpu::BufferBindingType = wgpu::BufferBindingType::Storage { read_only: false };
const UNIFORM: wgpu::BufferBindingType = wgpu::BufferBindingType::Uniform;

impl Layouts {
    pub(super) fn new(device: &Device) -> Self {
        let data_group = group_layout(device, "data", &[READ]);
        let slot_group = group_layout(device, "slot", &[UNIFORM, WRITE]);
        let lists_group = group_layout(device, "lists", &[READ, READ]);
        let out_group = group_layout(device, "out", &[WRITE]);
        let fill_group = group_layout(device, "fill", &[WRITE, UNIFORM]);
        let sentinel_group = group_layout(device, "sentinel", &[WRITE, UNIFORM, WRITE]);
        let reading = [&data_group, &slot_group, &lists_group];
        let writing = [&data_group, &slot_group, &lists_group, &out_group];
        Self {
            reading: pipeline_layout(device, "reading", &reading),
            writing: pipeline_layout(device, "writing", &writing),
            fill: pipeline_layout(device, "fill", &[&fill_group]),
            sentinel: pipeline_layout(device, "sentinel", &[&sentinel_group]),
            empty: pipeline_layout(device, "empty", &[]),
            probe: pipeline_layout(device, "probe", &[&out_group]),
            data_group,
            slot_group,
            lists_group,
            out_group,
            fill_group,
            sentinel_group,
        }
    }

    /// A bind group of whole buffers, in the order of their bindings.
    pub(super) fn group(
        &self,
        device: &Device,
        layout: &wgpu::BindGroupLayout,
        buffers: &[&wgpu::Buffer],
    ) -> wgpu::BindGroup {
        let entries: Vec<_> = buffers
            .iter()
            .zip(0_u32..)
            .map(|(buffer, binding)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    }
}

/// Compiles WGSL with every runtime check on.
pub(super) fn pipeline(
    device: &Device,
    entry_point: &str,
    wgsl: &str,
    layout: &wgpu::PipelineLayout,
    constants: &[(&str, f64)],
) -> Result<wgpu::ComputePipeline, ExecutorError> {
    compile(
        device,
        entry_point,
        layout,
        constants,
        |device, source| device.create_shader_module(source),
        wgsl,
    )
}

/// Compiles a measuring kernel without bounds checks, loop bounding or division checks, which are no part of the pattern.
///
/// The one unsafe place of the program. Its precondition: every index that the kernel computes lies inside the bound
/// buffer. `executor::Case` chooses the windows so that it holds (tested there for every family, at the edges), and
/// the echo of every kernel is compared with those addresses before it is timed; a transpose, which has none, is first
/// run with every check and its stores are proven.
pub(super) fn unchecked_pipeline(
    device: &Device,
    entry_point: &str,
    wgsl: &str,
    layout: &wgpu::PipelineLayout,
    constants: &[(&str, f64)],
) -> Result<wgpu::ComputePipeline, ExecutorError> {
    #[expect(
        unsafe_code,
        reason = "injected checks would be measured with the pattern"
    )]
    let module = |device: &wgpu::Device, source: wgpu::ShaderModuleDescriptor<'_>| {
        // SAFETY: the precondition above; the source is composed of the files of shaders/ alone.
        unsafe {
            device.create_shader_module_trusted(source, wgpu::ShaderRuntimeChecks::unchecked())
        }
    };
    compile(device, entry_point, layout, constants, module, wgsl)
}

fn compile(
    device: &Device,
    entry_point: &str,
    layout: &wgpu::PipelineLayout,
    constants: &[(&str, f64)],
    module: impl FnOnce(&wgpu::Device, wgpu::ShaderModuleDescriptor<'_>) -> wgpu::ShaderModule,
    wgsl: &str,
) -> Result<wgpu::ComputePipeline, ExecutorError> {
    device
        .checked(|device| {
            let source = wgpu::ShaderSource::Wgsl(wgsl.into());
            let module = module(
                device,
                wgpu::ShaderModuleDescriptor {
                    label: Some(entry_point),
                    source,
                },
            );
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: Some(layout),
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants,
                    zero_initialize_workgroup_memory: false,
                },
                cache: None,
            })
        })
        .map_err(|error| ExecutorError::Refused(error.to_string()))
}

fn group_layout(
    device: &Device,
    label: &str,
    bindings: &[wgpu::BufferBindingType],
) -> wgpu::BindGroupLayout {
    let entries: Vec<_> = bindings
        .iter()
        .zip(0_u32..)
        .map(|(&ty, binding)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        })
        .collect();
    device
        .device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(label),
            entries: &entries,
        })
}

fn pipeline_layout(
    device: &Device,
    label: &str,
    groups: &[&wgpu::BindGroupLayout],
) -> wgpu::PipelineLayout {
    let bind_group_layouts: Vec<_> = groups.iter().map(|&group| Some(group)).collect();
    device
        .device
        .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(label),
            bind_group_layouts: &bind_group_layouts,
            immediate_size: 0,
        })
}
