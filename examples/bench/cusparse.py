"""cuSPARSE's product of a CSR matrix and a vector, with the preprocessing that cupy does not call."""

import ctypes

ALGORITHMS = {"SpMV default": 0, "SpMV CSR_ALG1": 2, "SpMV CSR_ALG2": 3}  # cusparseSpMVAlg_t
INDEX, FLOAT = 2, 0  # CUSPARSE_INDEX_32I, CUDA_R_32F


class Product:
    """cuSPARSE's product of a matrix and a vector, added to a second vector: from either of two vectors to the other."""

    def __init__(self, matrix, algorithm, factor):
        import cupy

        cupy.cuda.device.get_cusparse_handle()  # loads the library that cupy has found
        self.library, self.handle = ctypes.CDLL("libcusparse.so.12"), ctypes.c_void_p()
        self.stream, self.matrix, self.algorithm = cupy.cuda.Stream(non_blocking=True), matrix, ALGORITHMS[algorithm]
        self.call("Create", ctypes.byref(self.handle))
        self.call("SetStream", self.handle, ctypes.c_void_p(self.stream.ptr))
        self.factors = [ctypes.c_float(factor), ctypes.c_float(1)]
        self.describe([cupy.zeros(matrix.shape[0], "float32") for _ in range(2)])
        size = ctypes.c_size_t()
        self.call("SpMV_bufferSize", *self.operands(0), ctypes.byref(size))
        self.buffer = cupy.zeros(max(size.value, 1), "uint8")
        cupy.cuda.Device().synchronize()
        self.call("SpMV_preprocess", *self.operands(0), ctypes.c_void_p(self.buffer.data.ptr))
        self.stream.synchronize()

    def describe(self, vectors):
        matrix, self.vectors = self.matrix, vectors
        self.description, self.descriptions = ctypes.c_void_p(), [ctypes.c_void_p(), ctypes.c_void_p()]
        pointers = [ctypes.c_void_p(array.data.ptr) for array in (matrix.indptr, matrix.indices, matrix.data)]
        sizes = [ctypes.c_int64(size) for size in (*matrix.shape, matrix.nnz)]
        self.call("CreateCsr", ctypes.byref(self.description), *sizes, *pointers, INDEX, INDEX, 0, FLOAT)
        for description, vector in zip(self.descriptions, vectors):
            pointer = ctypes.c_void_p(vector.data.ptr)
            self.call("CreateDnVec", ctypes.byref(description), ctypes.c_int64(vector.size), pointer, FLOAT)

    def operands(self, source):
        factor, one = (ctypes.byref(number) for number in self.factors)
        x, y = self.descriptions[source], self.descriptions[1 - source]
        return [self.handle, 0, factor, self.description, x, one, y, FLOAT, self.algorithm]

    def add(self, source):
        """Adds factor * matrix * vectors[source] to the other vector."""
        self.call("SpMV", *self.operands(source), ctypes.c_void_p(self.buffer.data.ptr))

    def call(self, name, *values):
        status = getattr(self.library, f"cusparse{name}")(*values)
        if status != 0:
            raise RuntimeError(f"cusparse{name} ended with {status}")

    def launched(self, iterate):
        """Runs `iterate` on the stream to its end."""

        def run():
            with self.stream:
                result = iterate()
            self.stream.synchronize()
            return result

        return run

    def recorded(self, iterate):
        """As `launched`, recorded as a CUDA graph and replayed."""
        result = self.launched(iterate)()
        self.iterate = iterate  # holds the arrays that the graph reads
        with self.stream:
            self.stream.begin_capture()
            iterate()
            graph = self.stream.end_capture()

        def replay():
            graph.launch(self.stream)
            self.stream.synchronize()
            return result

        return replay
