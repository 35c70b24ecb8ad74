# Which sources make which program. A folder's .c files belong together; a file that holds a
# main() is named main*.c and is linked into the program that names it only.

base      := $(wildcard harness/base/*.c)
numbers   := $(wildcard harness/numbers/*.c)
# With the table of libraries, which specs and compilers share.
problem   := $(wildcard judge/problem/*.c) harness/compile/library.c
# An archive: of these only the daemon takes what needs SQLite.
record_sources := $(wildcard judge/record/*.c)
record    := $(OBJ)/record.a
# The digests of equal work, which the daemon takes of starters and solutions, too.
equal     := $(wildcard harness/compile/equal*.c)
# What every program of judge/ is linked with.
common    := $(problem) $(record) $(equal) $(numbers) $(base)
sandbox   := $(wildcard harness/sandbox/*.c)
compile   := $(wildcard harness/compile/*.c)
# With what a listing tells of occupancy, and names for people.
compiler  := $(filter-out judge/compiler/main.c,$(wildcard judge/compiler/*.c)) \
             $(addprefix harness/emulator/exec/,cost/devices.c cost/occupancy.c demangle.c)
# With the modelled devices' figures.
device    := $(wildcard harness/device/*.c) harness/emulator/exec/cost/devices.c
# For a test that stands in for the driver.
device_without_driver := $(filter-out harness/device/libcuda.c,$(device))
ptx       := $(wildcard harness/emulator/ptx/*.c)
exec      := $(wildcard harness/emulator/exec/*.c harness/emulator/exec/*/*.c)
gpu_owner := harness/emulator/gpu/owner.c harness/emulator/gpu/reply.c \
             harness/emulator/gpu/advice.c
# What gpu_owner needs of base, for tests that link the front end, which has arenas of its own.
text      := $(addprefix harness/base/,utf8.c buf.c report.c own_program.c)
gpu       := $(filter-out harness/emulator/gpu/main.c $(gpu_owner),\
               $(wildcard harness/emulator/gpu/*.c))
gpu_process := harness/device/gpu_process.c harness/device/cost_json.c
runtime   := $(wildcard harness/emulator/runtime/*.c)
arbiter   := $(filter-out judge/arbiter/main.c,\
               $(wildcard judge/arbiter/*.c judge/arbiter/*/*.c))
# With the pages, and the pilots of a Slurm cluster.
daemon    := $(filter-out judge/daemon/main.c,$(wildcard judge/daemon/*.c judge/daemon/slurm/*.c judge/daemon/web/*.c))
# What the arbiter reads of a runner, without the devices.
runner_replies := judge/arbiter/calling/runner_link.c judge/arbiter/calling/meter.c \
                  judge/arbiter/calling/host.c judge/arbiter/calling/sealed.c \
                  judge/arbiter/judging/explain.c
# What reads the output of NVIDIA's tools.
nvidia_text := $(addprefix judge/arbiter/profiling/,csv_table.c ncu_kernels.c ncu_lines.c ncu_refusal.c \
                 sanitizer_text.c) harness/device/cost_json.c harness/emulator/gpu/advice.c
# Tests' fixtures: a folder, the emulated machine's buffers and golden kernels, PTX texts,
# clients of its process, submissions in C and their job, judgements as on a GPU, timed calls.
folder    := tests/fixtures/folder.c
emulated  := tests/fixtures/emulated.c
cost_machine := tests/fixtures/cost_machine.c $(emulated)
compile_job := tests/fixtures/compile_job.c
store_place := tests/fixtures/store_place.c
kernel_text := tests/fixtures/kernel_text.c
snippet   := tests/fixtures/snippet.c tests/fixtures/emulated.c
ptx_lines := tests/fixtures/ptx_lines.c $(emulated)
gpu_wire  := tests/fixtures/gpu_wire.c
golden_kernels := tests/fixtures/golden_kernels.c $(emulated)
submission := tests/fixtures/submission.c $(folder)
fake_gpu  := tests/fixtures/fake_gpu.c tests/fixtures/fake_neighbour.c $(submission)
runtime_gpu := tests/fixtures/runtime_gpu.c
timed_calls := tests/fixtures/timed_calls.c
cli       := $(filter-out judge/cli/main.c,$(wildcard judge/cli/*.c)) \
             harness/compile/linked.c

objects = $(patsubst %.c,$(OBJ)/%.o,$(1))

LIBS_common     := -lcjson -lmd -lm
LIBS_daemon   := -lsqlite3 -levent_core -levent_extra -linih -lsodium -lz -lcmark
LIBS_cli      := -lcurl -lsqlite3 -lsodium
LIBS_emulator := -lzstd -llz4 -lmd -lpthread -lm

PROGRAMS := bin/warpjudge libexec/warpjudged libexec/warpjudge-compile \
            libexec/warpjudge-arbiter libexec/warpjudge-gpu libexec/warpjudge-runner \
            lib/guest.o lib/guest.map lib/null.so lib/libcudart_emu.a \
            lib/warpjudge/libcudart.so.13

.PHONY: programs
programs: $(addprefix $(B)/,$(PROGRAMS))

# Nothing is compiled before the packages are there.
$(OBJ)/%.o: %.c | packages
	@mkdir -p $(@D); echo "cc   $<"
	@$(CC) $(CFLAGS) -c $< -o $@

# What a source has by .incbin, which the compiler does not list.
$(OBJ)/judge/daemon/openapi.o: judge/daemon/openapi.json
$(OBJ)/judge/daemon/web/assets.o: judge/web/style.css judge/web/icon.svg
$(OBJ)/judge/cli/explain.o: $(wildcard judge/cli/topics/*.txt)

$(OBJ)/record.a: $(call objects,$(record_sources))
	@mkdir -p $(@D); echo "ar   $@"
	@rm -f $@; ar rcs $@ $^

link = @mkdir -p $(@D); echo "link $@"; $(CC) $(LDFLAGS) $(filter %.o,$^) $(filter %.a,$^) -o $@

$(B)/bin/warpjudge: $(call objects,judge/cli/main.c $(cli) $(gpu_process) $(gpu_owner) \
                      $(sandbox) $(common))
	$(link) $(LIBS_cli) $(LIBS_common) -lseccomp -lpthread

$(B)/libexec/warpjudged: $(call objects,judge/daemon/main.c $(daemon) $(common) \
                           $(sandbox))
	$(link) $(LIBS_daemon) $(LIBS_common) -lseccomp -lpthread

$(B)/libexec/warpjudge-compile: $(call objects,judge/compiler/main.c $(compiler) $(compile) \
                                  $(sandbox) $(common))
	$(link) $(LIBS_common) -lseccomp

$(B)/libexec/warpjudge-arbiter: $(call objects,judge/arbiter/main.c $(arbiter) $(device) \
                                  $(gpu_owner) $(sandbox) $(common)) $(OBJ)/device_kernels.o
	$(link) $(LIBS_common) -lseccomp -ldl -lpthread

$(B)/libexec/warpjudge-gpu: $(call objects,harness/emulator/gpu/main.c $(gpu) $(exec) $(ptx))
	$(link) $(LIBS_emulator)

# What is in a submission's process: never sanitized (half of it is what nvcc compiles).
GUEST := -std=gnu17 -D_GNU_SOURCE -Ijudge -Iharness -g -O2 $(WARN) -MMD -MP -fPIC \
         -ffunction-sections -fdata-sections -isystem $(CUDA)/include

$(OBJ)/guest/runner/%.o: harness/runner/%.c | packages
	@mkdir -p $(@D); echo "cc   $<"
	@$(CC) $(GUEST) -c $< -o $@

runner := $(filter-out harness/runner/guest.c,$(wildcard harness/runner/*.c))

$(B)/libexec/warpjudge-runner: $(patsubst harness/runner/%.c,$(OBJ)/guest/runner/%.o,$(runner))
	@mkdir -p $(@D); echo "link $@"; $(CC) -pie -Wl,-z,relro,-z,now $^ -o $@ -ldl

# What a submission is linked with: without what debuggers read, since every judgement
# hashes it, links it and copies what comes out.
$(B)/lib/guest.o: $(OBJ)/guest/runner/guest.o
	@mkdir -p $(@D); strip -g $< -o $@

$(B)/lib/guest.map: harness/runner/guest.map
	@mkdir -p $(@D); cp $< $@

$(OBJ)/guest/runtime/%.o: harness/emulator/runtime/%.c | packages
	@mkdir -p $(@D); echo "cc   $<"
	@$(CC) $(GUEST) -c $< -o $@

# The same sources in the unit tests' build.
$(OBJ)/harness/emulator/runtime/%.o $(OBJ)/tests/fixtures/runtime_gpu.o \
$(OBJ)/tests/unit/test_runtime.o $(OBJ)/tests/unit/test_runtime_graphs.o: \
    CFLAGS += -isystem $(CUDA)/include

$(B)/lib/libcudart_emu.a: $(patsubst harness/emulator/runtime/%.c,$(OBJ)/guest/runtime/%.o,$(runtime))
	@mkdir -p $(@D); echo "ar   $@"
	@rm -f $@; ar rcs $@ $^; strip -g $@

# The same as a drop-in for NVIDIA's library, for `warpjudge emu`. In a folder of its own: no
# installation may make every CUDA program of a machine find it.
$(OBJ)/guest/runtime/exports.map: harness/emulator/runtime/exports.txt
	@mkdir -p $(@D)
	@{ echo 'libcudart.so.13 {'; echo 'global:'; sed '/^#/d; s/$$/;/' $<; echo 'local: *;'; \
	  echo '};'; } > $@

$(B)/lib/warpjudge/libcudart.so.13: $(OBJ)/guest/runtime/exports.map \
    $(patsubst harness/emulator/runtime/%.c,$(OBJ)/guest/runtime/%.o,$(runtime))
	@mkdir -p $(@D); echo "link $@"
	@$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=$< -Wl,-Bsymbolic-functions \
	  -Wl,-z,relro,-z,now,-z,defs $(filter %.o,$^) -o $@ -lpthread

# The solve() that does nothing, linked as every submission is (compile/tools.c). PTX for the
# oldest architecture that CUDA 13 knows, so that one file serves every GPU.
$(B)/lib/null.so: harness/runner/null.cu $(B)/lib/guest.o $(B)/lib/guest.map harness/runner/guest.h
	@mkdir -p $(@D) $(OBJ); echo "nvcc $<"
	@$(NVCC) -Iharness -arch=compute_75 -O3 -Xcompiler -fPIC -c $< -o $(OBJ)/null.o
	@g++ -shared -Wl,-z,now -Wl,-z,defs -Wl,--version-script=$(B)/lib/guest.map $(B)/lib/guest.o \
	  $(OBJ)/null.o $(CUDA)/lib64/libcudart_static.a -o $@ -ldl -lrt -lpthread

# The arbiter's own kernels (fill, compare, flush), as PTX that every driver of CUDA 13 takes.
$(OBJ)/device_kernels.o: harness/device/kernels.cu $(wildcard harness/numbers/*_fn.h) | packages
	@mkdir -p $(@D); echo "nvcc $<"
	@$(NVCC) -std=c++17 -Iharness -arch=compute_80 --fmad=false --ptx $< -o $(OBJ)/device_kernels.ptx
	@cd $(OBJ) && printf '\0' | cat device_kernels.ptx - > device_kernels && \
	  ld -r -b binary -z noexecstack device_kernels -o device_kernels.o

