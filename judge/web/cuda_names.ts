// CUDA's names, which C++ has not.

export const QUALIFIERS = ["__global__", "__device__", "__host__", "__shared__", "__constant__",
    "__managed__", "__restrict__", "__launch_bounds__", "__forceinline__", "__noinline__",
    "__grid_constant__"];
export const VARIABLES = ["threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"];
export const FUNCTIONS = ["__syncthreads", "__syncwarp", "__shfl_sync", "__shfl_up_sync",
    "__shfl_down_sync", "__shfl_xor_sync", "__ballot_sync", "__any_sync", "__all_sync",
    "__activemask", "__reduce_add_sync", "__threadfence", "__threadfence_block", "__ldg",
    "__popc", "__clz", "__ffs", "__fmaf_rn", "__expf", "__logf", "__fdividef", "atomicAdd",
    "atomicMax", "atomicMin", "atomicCAS", "atomicExch", "rsqrtf", "cudaMalloc", "cudaFree",
    "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync", "cudaDeviceSynchronize",
    "cudaStreamCreate", "cudaStreamDestroy", "cudaMallocAsync", "cudaFreeAsync",
    "cudaFuncSetAttribute", "cudaGetLastError", "float2", "float4", "int2", "int4", "half",
    "half2", "nv_bfloat16", "make_float4", "dim3"];
