//! cuSPARSE's product of a CSR matrix and a dense one, through the library that cudarc loads at run time.

use std::error::Error;
use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use cudarc::cusparse::sys::{
    self, cudaDataType_t, cusparseDnMatDescr_t, cusparseHandle_t, cusparseIndexBase_t, cusparseIndexType_t,
    cusparseOperation_t, cusparseOrder_t, cusparseSpMMAlg_t, cusparseSpMatDescr_t, cusparseStatus_t,
};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DriverError, sys::CUevent_flags};
use onyx_device::half::{bf16, f16};
use onyx_device::stored::Number;
use onyx_runtime::graph::Graph;

use crate::batch::AT_ONCE;

/// Every algorithm for CSR matrices, by name.
pub const ALGORITHMS: [(&str, cusparseSpMMAlg_t); 4] = [
    ("default", cusparseSpMMAlg_t::CUSPARSE_SPMM_ALG_DEFAULT),
    ("CSR_ALG1", cusparseSpMMAlg_t::CUSPARSE_SPMM_CSR_ALG1),
    ("CSR_ALG2", cusparseSpMMAlg_t::CUSPARSE_SPMM_CSR_ALG2),
    ("CSR_ALG3", cusparseSpMMAlg_t::CUSPARSE_SPMM_CSR_ALG3),
];

const KEEP: cusparseOperation_t = cusparseOperation_t::CUSPARSE_OPERATION_NON_TRANSPOSE;
const FLOAT: cudaDataType_t = cudaDataType_t::CUDA_R_32F;

/// What is multiplied: the incoming edges with a weight each, and a row of `features` floats a vertex. Both have numbers of this type, the product `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Factors<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// A weight for each edge, in the order of incoming edges.
    pub weights: &'a [f32],
    /// The rows, one after the other.
    pub rows: &'a [f32],
    /// How many floats a row has.
    pub features: usize,
    /// What cuSPARSE reads: `f32`, `f16` or `bf16`.
    pub number: Number,
}

impl Factors<'_> {
    /// Refuses what the descriptors would say wrongly, for cuSPARSE reads as much as they say.
    fn check(&self) -> Result<(), String> {
        let (vertices, edges) = (self.graph.vertex_count(), self.graph.edge_count());
        let (weights, rows, features) = (self.weights.len(), self.rows.len(), self.features);
        if weights != edges {
            return Err(format!(
                "{weights} weights for the {edges} edges of the product by cuSPARSE: give one for each edge"
            ));
        }
        if features == 0 || Some(rows) != vertices.checked_mul(features) {
            return Err(format!(
                "{rows} floats for {vertices} rows of {features} in the product by cuSPARSE: give each vertex a row of one float at least"
            ));
        }
        match self.number {
            Number::F32 | Number::F16 | Number::Bf16 => Ok(()),
            number => Err(format!("a product by cuSPARSE has no {} factors: give it f32, f16 or bf16", number.name())),
        }
    }
}

/// A number as the matrix has it.
fn index(what: &str, number: usize) -> Result<i32, String> {
    i32::try_from(number).map_err(|_| {
        format!("{what} {number} in the product by cuSPARSE is beyond the {} that an index of 32 bits has: take a smaller graph", i32::MAX)
    })
}

/// The incoming edges as a CSR matrix, the rows as a dense one, and their product.
#[derive(Debug)]
pub struct Cusparse {
    stream: Arc<CudaStream>,
    handle: cusparseHandle_t,
    matrix: cusparseSpMatDescr_t,
    dense: cusparseDnMatDescr_t,
    product: cusparseDnMatDescr_t,
    result: CudaSlice<f32>,
    /// Everything that the descriptors point to.
    _arrays: (CudaSlice<i32>, CudaSlice<i32>, Values, Values),
}

/// Numbers on the GPU.
#[derive(Debug)]
enum Values {
    Floats(CudaSlice<f32>),
    Halves(CudaSlice<u16>),
}

impl Values {
    fn new(stream: &Arc<CudaStream>, values: &[f32], number: Number) -> Result<Self, DriverError> {
        let halves = |half: fn(f32) -> u16| {
            let halves: Vec<u16> = values.iter().map(|value| half(*value)).collect();
            stream.clone_htod(&halves).map(Self::Halves)
        };
        match number {
            Number::F16 => halves(|value| f16::from_f32(value).0),
            Number::Bf16 => halves(|value| bf16::from_f32(value).0),
            _ => stream.clone_htod(values).map(Self::Floats),
        }
    }

    fn address(&self, stream: &Arc<CudaStream>) -> *mut c_void {
        match self {
            Self::Floats(array) => address(stream, array),
            Self::Halves(array) => address(stream, array),
        }
    }
}

fn type_of(number: Number) -> cudaDataType_t {
    match number {
        Number::F16 => cudaDataType_t::CUDA_R_16F,
        Number::Bf16 => cudaDataType_t::CUDA_R_16BF,
        _ => FLOAT,
    }
}

impl Cusparse {
    /// Copies both to the GPU.
    ///
    /// # Errors
    /// Another number of weights than of edges, or of floats than in the rows; more vertices or edges than 32 bits count; a machine without the library or a
    /// GPU, and whatever they refuse.
    pub fn new(factors: &Factors<'_>) -> Result<Self, Box<dyn Error>> {
        factors.check()?;
        // SAFETY: asks whether the library can be opened.
        if !unsafe { sys::is_culib_present() } {
            return Err("libcusparse was not found: set LD_LIBRARY_PATH to the folder of CUDA's libraries".into());
        }
        let stream = CudaContext::new(0)?.new_stream()?;
        let Factors { graph, features, number, .. } = *factors;
        let incoming = graph.incoming();
        let rows = graph.vertex_count();
        let offsets = (0..=rows).map(|row| index("edge", incoming.offsets().get(row)));
        let columns = incoming.neighbors().iter().map(|neighbor| index("vertex", *neighbor as usize));
        let (offsets, columns) = (offsets.collect::<Result<Vec<_>, _>>()?, columns.collect::<Result<Vec<_>, _>>()?);
        let (offsets, columns) = (stream.clone_htod(&offsets)?, stream.clone_htod(&columns)?);
        let weights = Values::new(&stream, factors.weights, number)?;
        let values = Values::new(&stream, factors.rows, number)?;
        let result = stream.alloc_zeros::<f32>(rows * features)?;
        let (mut handle, mut matrix) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the arrays have the sizes that are named, and live as long as the descriptors.
        unsafe {
            check(sys::cusparseCreate(&mut handle))?;
            check(sys::cusparseSetStream(handle, stream.cu_stream().cast()))?;
            check(sys::cusparseCreateCsr(
                &mut matrix,
                rows as i64,
                rows as i64,
                graph.edge_count() as i64,
                address(&stream, &offsets),
                address(&stream, &columns),
                weights.address(&stream),
                cusparseIndexType_t::CUSPARSE_INDEX_32I,
                cusparseIndexType_t::CUSPARSE_INDEX_32I,
                cusparseIndexBase_t::CUSPARSE_INDEX_BASE_ZERO,
                type_of(number),
            ))?;
        }
        let dense = matrix_of(rows, features, values.address(&stream), type_of(number))?;
        let product = matrix_of(rows, features, address(&stream, &result), FLOAT)?;
        Ok(Self { stream, handle, matrix, dense, product, result, _arrays: (offsets, columns, weights, values) })
    }

    /// The mean times of a product in `repeat` times [`AT_ONCE`] of them, after `warm_up` times as many that are not timed, by CUDA events, and the product.
    ///
    /// # Errors
    /// What cuSPARSE or the driver refuses.
    pub fn time(
        &mut self,
        algorithm: cusparseSpMMAlg_t,
        warm_up: usize,
        repeat: usize,
    ) -> Result<(Vec<Duration>, Vec<f32>), Box<dyn Error>> {
        self.stream.memset_zeros(&mut self.result)?;
        let buffer = self.preprocess(algorithm)?;
        let event = || self.stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let (begin, end) = (event()?, event()?);
        let mut times = Vec::new();
        for _ in 0..warm_up + repeat {
            begin.record(&self.stream)?;
            (0..AT_ONCE).try_for_each(|_| self.multiply(algorithm, &buffer))?;
            end.record(&self.stream)?;
            times.push(Duration::from_secs_f64(f64::from(begin.elapsed_ms(&end)?) / 1e3) / AT_ONCE as u32);
        }
        let result = self.stream.clone_dtoh(&self.result)?;
        self.stream.synchronize()?;
        Ok((times.split_off(warm_up), result))
    }

    /// Allocates what the algorithm works in, and lets it look at the matrix.
    fn preprocess(&self, algorithm: cusparseSpMMAlg_t) -> Result<CudaSlice<u8>, Box<dyn Error>> {
        let mut bytes = 0;
        let (one, zero) = (1.0_f32, 0.0_f32);
        let (one, zero) = (ptr::from_ref(&one).cast(), ptr::from_ref(&zero).cast());
        let (matrix, dense) = (self.matrix.cast_const().cast(), self.dense.cast_const().cast());
        // SAFETY: the descriptors are alive, and the buffer has the size that the library asked for.
        unsafe {
            check(sys::cusparseSpMM_bufferSize(
                self.handle,
                KEEP,
                KEEP,
                one,
                matrix,
                dense,
                zero,
                self.product,
                FLOAT,
                algorithm,
                &mut bytes,
            ))?;
            let buffer = self.stream.alloc_zeros::<u8>(bytes.max(1))?;
            let work = address(&self.stream, &buffer);
            check(sys::cusparseSpMM_preprocess(
                self.handle,
                KEEP,
                KEEP,
                one,
                matrix,
                dense,
                zero,
                self.product,
                FLOAT,
                algorithm,
                work,
            ))?;
            Ok(buffer)
        }
    }

    fn multiply(&self, algorithm: cusparseSpMMAlg_t, buffer: &CudaSlice<u8>) -> Result<(), Box<dyn Error>> {
        let (one, zero) = (1.0_f32, 0.0_f32);
        let work = address(&self.stream, buffer);
        // SAFETY: as in `preprocess`.
        check(unsafe {
            sys::cusparseSpMM(
                self.handle,
                KEEP,
                KEEP,
                ptr::from_ref(&one).cast(),
                self.matrix.cast_const().cast(),
                self.dense.cast_const().cast(),
                ptr::from_ref(&zero).cast(),
                self.product,
                FLOAT,
                algorithm,
                work,
            )
        })
    }
}

/// A dense matrix of row-major values.
fn matrix_of(
    rows: usize,
    features: usize,
    values: *mut c_void,
    of: cudaDataType_t,
) -> Result<cusparseDnMatDescr_t, Box<dyn Error>> {
    let mut matrix = ptr::null_mut();
    let (rows, features) = (rows as i64, features as i64);
    let order = cusparseOrder_t::CUSPARSE_ORDER_ROW;
    // SAFETY: the values have `rows * features` numbers of this type.
    check(unsafe { sys::cusparseCreateDnMat(&mut matrix, rows, features, features, values, of, order) })?;
    Ok(matrix)
}

fn address<T>(stream: &Arc<CudaStream>, array: &CudaSlice<T>) -> *mut c_void {
    array.device_ptr(stream).0 as *mut c_void
}

fn check(status: cusparseStatus_t) -> Result<(), Box<dyn Error>> {
    match status {
        cusparseStatus_t::CUSPARSE_STATUS_SUCCESS => Ok(()),
        status => Err(format!("cuSPARSE: {status:?}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onyx_runtime::graph::GraphBuilder;

    #[test]
    fn factors_of_other_sizes_are_refused() {
        let graph = GraphBuilder::new().edges(vec![(0, 1), (1, 2)]).build().unwrap();
        let checked = |weights: &[f32], rows: &[f32], features, number| {
            Factors { graph: &graph, weights, rows, features, number }.check().err().unwrap_or_default()
        };
        assert_eq!(checked(&[1.0; 2], &[1.0; 6], 2, Number::Bf16), "");
        assert!(checked(&[1.0; 3], &[1.0; 6], 2, Number::F32).starts_with("3 weights for the 2 edges"));
        assert!(checked(&[1.0; 2], &[1.0; 5], 2, Number::F32).starts_with("5 floats for 3 rows of 2"));
        assert!(checked(&[1.0; 2], &[1.0; 6], usize::MAX, Number::F32).starts_with("6 floats for 3 rows"));
        assert!(checked(&[1.0; 2], &[], 0, Number::F32).starts_with("0 floats for 3 rows of 0"));
        assert!(checked(&[1.0; 2], &[1.0; 6], 2, Number::U32).contains("no u32 factors"));
    }

    #[test]
    fn numbers_beyond_32_bits_are_refused() {
        assert_eq!(index("edge", i32::MAX as usize), Ok(i32::MAX));
        assert!(
            index("edge", 1 << 31).unwrap_err().starts_with("edge 2147483648 in the product by cuSPARSE is beyond")
        );
    }
}
