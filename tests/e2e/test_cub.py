"""CUB's and Thrust's device algorithms on emu, compiled for other architectures than the emulated one."""
from test_emu import build, emu

SLOW = "nvcc takes 15 s for each of its two programs"
# cub.cu's two sums of 0..9999
RIGHT = "cudaSuccess cudaSuccess 49995000 49995000\n"


def test_architecture_of_nvcc_alone(judge):
    emu(judge, build("cub", "--cudart=shared", "cub.cu"), out=RIGHT)


def test_newer_architecture(judge):
    emu(judge, build("cub_sm_90", "--cudart=shared", "-arch=sm_90", "cub.cu"), out=RIGHT)
