//! What the driver knows of an address that someone lends.

use cudarc::driver::CudaContext;
use cudarc::driver::sys::{self, CUmemorytype, CUpointer_attribute, CUresult};

use crate::session::{BorrowError, Borrowed};

/// Whether all of the memory is of the context's GPU.
pub(super) fn check(context: &CudaContext, memory: Borrowed) -> Result<(), BorrowError> {
    if memory.length == 0 {
        return Ok(());
    }
    let (address, device) = (memory.address, context.ordinal());
    let not_here = |found| BorrowError::NotOfDevice { address, device, found };
    context.bind_to_thread().map_err(|_| not_here("a context that has failed"))?;
    let kind: u32 = ask(address, CUpointer_attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
        .ok_or_else(|| not_here("an address that the driver does not know"))?;
    if kind != CUmemorytype::CU_MEMORYTYPE_DEVICE as u32 {
        return Err(not_here("memory of the host"));
    }
    let ordinal: i32 = ask(address, CUpointer_attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL).unwrap_or(-1);
    if usize::try_from(ordinal) != Ok(device) {
        return Err(not_here("memory of another GPU"));
    }
    let missing = missing(address, memory.bytes() as u64);
    if missing == 0 { Ok(()) } else { Err(BorrowError::TooShort { address, missing }) }
}

/// The bytes by which `bytes` from an address on lie after the end of their allocation, where the driver knows it.
fn missing(address: usize, bytes: u64) -> u64 {
    let begin = ask::<u64>(address, CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
    let size = ask::<u64>(address, CUpointer_attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE);
    let end = begin.zip(size).map(|(begin, size)| begin + size);
    end.map_or(0, |end| (address as u64 + bytes).saturating_sub(end))
}

/// What the driver says of an address; nothing where it does not know it.
fn ask<T: Default>(address: usize, attribute: CUpointer_attribute) -> Option<T> {
    let mut answer = T::default();
    // SAFETY: the attributes above are answered by as many bytes as the types that they are asked with.
    let result = unsafe { sys::cuPointerGetAttribute((&raw mut answer).cast(), attribute, address as u64) };
    (result == CUresult::CUDA_SUCCESS).then_some(answer)
}
