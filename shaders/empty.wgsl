// Does nothing: what a dispatch costs by itself.
@compute @workgroup_size(1)
fn empty() {}
