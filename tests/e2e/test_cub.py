"""CUB's and Thrust's device algorithms on emu, compiled for other architectures than the emulated one."""
from test_emu import build, emu

SLOW = "nvcc takes 15 s for each of its three programs"
# cub.cu's two sums of 0..9999
RIGHT = "cudaSuccess cudaSuccess 49995000 49995000\n"


def test_architecture_of_nvcc_alone(judge):
    emu(judge, build("cub", "--cudart=shared", "cub.cu"), out=RIGHT)


def test_newer_architecture(judge):
    emu(judge, build("cub_sm_90", "--cudart=shared", "-arch=sm_90", "cub.cu"), out=RIGHT)


def test_faults_name_the_call(judge):
    """Such a kernel has no line of the user's, so its message names who launches it."""
    program = build("library_faults", "--cudart=shared", "-arch=compute_80",
                    "library_faults.cu")
    for what, says in (("r", "given to cub::DeviceReduce, thrust::reduce or"),
                       ("s", "given to cub::DeviceScan or thrust::inclusive_scan"),
                       ("t", "given to cub::DeviceTransform or thrust::transform"),
                       ("unwritten", "never written")):
        run = judge.cli("emu", "--checks", program, what, status=99)
        assert says in run.stderr, run.stderr
        assert "check the pointers and lengths" in run.stderr
