//! Where the recording of a stream is: which of its nodes come before what is noted next.

use std::ffi::c_uint;
use std::ptr;

use cudarc::driver::{CudaStream, DriverError, sys};

/// Nodes of a CUDA graph in the making, which is alive as long as the stream records.
pub(crate) struct Place(Vec<sys::CUgraphNode>);

impl Place {
    /// The nodes after which the stream would note something now.
    pub(super) fn of(stream: &CudaStream) -> Result<Self, DriverError> {
        let mut status = sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE;
        let (mut nodes, mut count) = (ptr::null(), 0);
        let (no_number, no_graph) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the stream exists; what nobody asks for may be null.
        let found = unsafe {
            sys::cuStreamGetCaptureInfo_v2(stream.cu_stream(), &mut status, no_number, no_graph, &mut nodes, &mut count)
        };
        found.result()?;
        if status != sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE {
            return Err(DriverError(sys::cudaError_enum::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED));
        }
        // SAFETY: the driver says that there are as many, until the next call on the stream.
        Ok(Self((0..count).map(|number| unsafe { *nodes.add(number) }).collect()))
    }

    /// Has the stream note what comes next after the nodes of these places alone.
    pub(super) fn follow(places: &[&Self], stream: &CudaStream) -> Result<(), DriverError> {
        let mut nodes: Vec<sys::CUgraphNode> = places.iter().flat_map(|place| &place.0).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let instead = sys::CUstreamUpdateCaptureDependencies_flags_enum::CU_STREAM_SET_CAPTURE_DEPENDENCIES as c_uint;
        // SAFETY: all nodes are of the graph that the stream records, which noted them.
        let followed = unsafe {
            sys::cuStreamUpdateCaptureDependencies(stream.cu_stream(), nodes.as_mut_ptr(), nodes.len(), instead)
        };
        followed.result()
    }
}
