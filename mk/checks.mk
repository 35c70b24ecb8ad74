# Tests, gates, demo, bench, dist, install.

.PHONY: test unit-tests format format-check analyze tidy gates demo bench dist install \
        fuzz test-gpu timing-gpu test-attacks test-attacks-gpu check-problems clean

# --- unit tests and fuzz targets: each file names what it links in its first lines --------

links     = $(shell sed -n 's|^// links: ||p' $(1))
linked    = $(foreach l,$(call links,$(1)),$(call objects,$($(l)))) \
            $(if $(filter device%,$(call links,$(1))),$(OBJ)/device_kernels.o)
TEST_LIBS := -Wl,--as-needed -lcmocka -lcjson -lmd -lsqlite3 -levent_core -levent_extra -lcurl \
             -lseccomp -lzstd -ldl -lpthread -lm

UNIT  := $(wildcard tests/unit/test_*.c)
programs := $(wildcard tests/fuzz/programs/*.c)
FUZZ  := $(wildcard tests/fuzz/fuzz_*.c)
TOOLS := $(wildcard tests/tools/*.c)

define test_rule
$(B)/$(basename $(1)): $(call objects,$(1)) $(call linked,$(1)) $(2)
	@mkdir -p $$(@D)
	@echo "link $$@"; $(CC) $(LDFLAGS) $$^ -o $$@ $(TEST_LIBS)
endef
$(foreach t,$(UNIT) $(TOOLS),$(eval $(call test_rule,$(t),)))
# Without libFuzzer a target replays the files it is given: yesterday's crashers.
$(foreach t,$(FUZZ),$(eval $(call test_rule,$(t),$(OBJ)/tests/fuzz/replay.o)))

# Where judge/core/config.h looks from a unit test's own place on the disk.
TEST_TREE := $(addprefix $(B)/tests/,libexec lib)
$(TEST_TREE):
	@mkdir -p $(@D); ln -sfn ../$(@F) $@

unit-tests: $(addprefix $(B)/,$(basename $(UNIT) $(FUZZ) $(TOOLS))) $(TEST_TREE)

test: test-packages ## install what is missing, sanitizer build, all tests, all gates
	$(MAKE) FLAVOUR=asan programs unit-tests
	$(MAKE) gates
	python3 tests/run.py build/asan
	$(MAKE) check-problems

# With an empty cache, and without sanitizers: the emulator does most of the work.
check-problems: all ## prove that every problem is sound and that its solutions get their verdicts
	@home=$$(mktemp -d); WARPJUDGE_HOME=$$home $(B)/bin/warpjudge problem check --all; \
	  status=$$?; rm -rf "$$home"; exit $$status

fuzz: test-packages ## fuzz everything that parses what strangers send, SECONDS=60 each
	tests/fuzz/run $(or $(SECONDS),60)

# --- gates ----------------------------------------------------------------------------------

C_FILES  := $(shell git ls-files -co --exclude-standard '*.c' '*.h' 2>/dev/null || \
              find judge harness tests -name '*.[ch]')
LINT     := $(filter judge/%.c harness/%.c,$(C_FILES))

format: ## rewrite the sources in the project's style
	@clang-format -i $(C_FILES)

format-check:
	@echo "clang-format --dry-run"; clang-format --dry-run -Werror $(C_FILES)

CUDA_INCLUDE := $(if $(CUDA),-I$(CUDA)/include)

build/lint/%.analyzed: %.c
	@mkdir -p $(@D)
	@echo "analyze $<"; $(CC) $(BASE) $(CUDA_INCLUDE) -O1 -fanalyzer -Werror -Wno-analyzer-too-complex \
	  -MF $(@:.analyzed=.d) -MT $@ -c $< -o $(@:.analyzed=.o)
	@touch $@

build/lint/%.tidied: %.c .clang-tidy
	@mkdir -p $(@D)
	@echo "tidy $<"; clang-tidy --quiet --warnings-as-errors='*' $< -- -std=gnu17 -D_GNU_SOURCE \
	  -Ijudge -Iharness $(CUDA_INCLUDE) 2>$(@:.tidied=.log) || { cat $(@:.tidied=.log); exit 1; }
	@touch $@

analyze: $(LINT:%.c=build/lint/%.analyzed)
tidy: $(LINT:%.c=build/lint/%.tidied)
gates: format-check
	$(MAKE) -j2 analyze tidy

-include $(shell find build/lint -name '*.d' 2>/dev/null)

# --- use ------------------------------------------------------------------------------------

demo: all ## judge six kernels with the real daemon and print what a user sees
	tests/demo/run $(B)

bench: all $(B)/bench/emulator $(B)/bench/kernels.ptx $(B)/bench/runtime ## time from submit to verdict against nvcc alone, peak memory, emulator speed
	$(B)/bench/emulator $(B)/bench/kernels.ptx
	$(B)/bin/warpjudge emu $(B)/bench/runtime
	python3 tests/bench/run.py $(B)

# The emulator against plain C, which gets -O2 and nothing else.
$(OBJ)/tests/bench/plain.o: CFLAGS := -std=gnu17 -O2 -MMD -MP
$(B)/bench/emulator: $(call objects,tests/bench/emulator.c tests/bench/plain.c $(exec) $(ptx))
	@mkdir -p $(@D)
	@echo "link $@"; $(CC) $(LDFLAGS) $^ -o $@ $(LIBS_emulator)

$(B)/bench/runtime: tests/bench/runtime.cu
	@mkdir -p $(@D); echo "nvcc $<"
	@$(NVCC) -std=c++17 -O3 -arch=compute_80 --cudart shared $< -o $@

$(B)/bench/kernels.ptx: tests/bench/kernels.cu
	@mkdir -p $(@D); echo "nvcc $<"
	@$(NVCC) -std=c++17 -O3 -lineinfo -arch=compute_80 --ptx $< -o $@

dist: dist-packages all ## a folder and a tarball that run on another Linux with nvcc and a GPU
	tests/tools/make-dist $(B) dist

test-attacks: all ## all submissions of tests/attacks that need no GPU (make test takes some of them)
	WARPJUDGE_ATTACKS=all python3 tests/run.py $(B) test_attacks

test-attacks-gpu: all ## all submissions of tests/attacks on a real GPU
	tests/gpu/attacks $(B)

test-gpu: all ## every solution and every test kernel on a real GPU
	tests/gpu/run $(B)

timing-gpu: all ## the clock on a real GPU: queue, CUDA events, 300 honest submissions (10 minutes)
	tests/gpu/timing $(B) $(B)/timing.json

install: all ## copy the programs to PREFIX (default /usr/local)
	tests/tools/install $(B) $(DESTDIR)$(PREFIX)

clean: ## remove everything that was built
	rm -rf build dist

# For tests/fuzz/run: the sources a test file links.
.PHONY: print-sources
print-sources:
	@echo $(foreach l,$(call links,$(FILE)),$($(l)))
