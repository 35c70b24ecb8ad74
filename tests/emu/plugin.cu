// A shared library with a kernel of its own, loaded by modes.cu.
__global__ void
square(int *x)
{
    *x *= *x;
}

extern "C" int
plugin_square(int x)
{
    int *device;

    cudaMalloc(&device, sizeof *device);
    cudaMemcpy(device, &x, sizeof x, cudaMemcpyHostToDevice);
    square<<<1, 1>>>(device);
    cudaMemcpy(&x, device, sizeof x, cudaMemcpyDeviceToHost);
    cudaFree(device);
    return x;
}
