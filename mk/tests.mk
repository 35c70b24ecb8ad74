# Tests and gates. Which tests there are, what each needs and how they run: tests/run.py.

.PHONY: test test-all test-every test-slow test-late check unit unit-tests gates analyze tidy tidy-quick format-check format \
        includes paths sentences commits portable \
        check-problems check-problems-sample test-attacks fuzz

# --- unit tests and fuzz targets: each file names what it links in its first lines --------

links     = $(shell sed -n 's|^// links: ||p' $(1))
linked    = $(foreach l,$(call links,$(1)),$(call objects,$($(l)))) \
            $(if $(filter device%,$(call links,$(1))),$(OBJ)/device_kernels.o)
TEST_LIBS := -Wl,--as-needed -lcmocka -lcjson -lmd -lsqlite3 -levent_core -levent_extra -linih -lsodium -lcmark -lcurl \
             -lseccomp -lzstd -llz4 -lz -ldl -lpthread -lm

UNIT  := $(wildcard tests/unit/test_*.c)
programs := $(wildcard tests/fuzz/programs/*.c)
FUZZ  := $(wildcard tests/fuzz/fuzz_*.c)
TOOLS := $(wildcard tests/tools/*.c)

# Where harness/base/config.h looks from a unit test's own place on the disk.
TEST_TREE := $(addprefix $(B)/tests/,libexec lib)
$(TEST_TREE):
	@mkdir -p $(@D); ln -sfn ../$(@F) $@

define test_rule
$(B)/$(basename $(1)): $(call objects,$(1)) $(call linked,$(1)) $(2) | $(TEST_TREE)
	@mkdir -p $$(@D)
	@echo "link $$@"; $(CC) $(LDFLAGS) $$(filter %.o,$$^) $$(filter %.a,$$^) -o $$@ $(TEST_LIBS)
endef
$(filter-out $(OBJ)/tests/bench/%,$(call objects,$(wildcard tests/*/*.c tests/*/*/*.c))): | test-packages
$(foreach t,$(UNIT),$(eval $(call test_rule,$(t),$(OBJ)/tests/fixtures/filter.o)))
$(foreach t,$(TOOLS),$(eval $(call test_rule,$(t),)))
# Without libFuzzer a target replays the files it is given: yesterday's crashers.
$(foreach t,$(FUZZ),$(eval $(call test_rule,$(t),$(OBJ)/tests/fuzz/replay.o)))

unit-tests: $(addprefix $(B)/,$(basename $(UNIT) $(FUZZ) $(TOOLS)))

##@ Test
# The end-to-end tests run the release build; those that want sanitizers say so (BUILD).
BOTH_BUILDS = @$(MAKE) FLAVOUR=asan programs unit-tests && $(MAKE) FLAVOUR=release programs

test: ## install what is missing, build with sanitizers, run all tests that do not take long
	+@$(MAKE) browser-packages
	+$(BOTH_BUILDS)
	@python3 tests/run.py

test-all: ## make test, the gates, what is slow, and a third of what takes turns
	+@$(MAKE) server-packages browser-packages client client-arm64
	+$(BOTH_BUILDS)
	@python3 tests/run.py --all

test-every: ## make test-all with every attack, problem, ladder, style and worst solution: hours
	+@$(MAKE) server-packages browser-packages client client-arm64
	+$(BOTH_BUILDS)
	@python3 tests/run.py --every
	+@$(MAKE) check-problems tidy

test-slow: ## what test-all does beyond test
	+@$(MAKE) server-packages browser-packages client client-arm64
	+$(BOTH_BUILDS)
	@python3 tests/run.py --slow

check: ## T=NAME: build and run only what matches: a unit or end-to-end test, a source file, a gate
	@test -n "$(T)" || { echo "make check T=NAME: a test or a source file, as in T=rank" >&2; exit 2; }
	@python3 tests/run.py --needs $(T) >/dev/null
	+@python3 tests/run.py --needs $(T) | while read -r flavour goals; do \
	    $(MAKE) FLAVOUR=$$flavour $$goals </dev/null || exit; done
	@python3 tests/run.py $(T)

LATE := build/release/tests/late.so
$(LATE): tests/late/late.c | packages
	@mkdir -p $(@D)
	@echo "link $@"; $(CC) $(BASE) -O2 -MF $@.d -fPIC -shared $< -o $@ -lm -ldl

# Chance decides what is late. So one run proves little, and none of it is in `make test-all`.
test-late: ## T=NAME: end-to-end tests while daemon and workers hear of everything late, and in another order
	@test -n "$(T)" || { echo "make test-late T=NAME: an end-to-end test, as in T=test_stay" >&2; exit 2; }
	+@$(MAKE) FLAVOUR=release programs $(LATE)
	@LD_PRELOAD=$(abspath $(LATE)) python3 tests/run.py --all build/release $(T)

unit: ## all unit programs and fuzz replays
	+@$(MAKE) FLAVOUR=asan programs unit-tests
	@python3 tests/run.py tests/unit tests/fuzz

# Without sanitizers, because the emulator does most of the work. The sample uses the programs that
# other tests have compiled (tests/run.py). It has a sixth of the problems, and another after each
# commit, or every one where no number of commits is given. The other begins with an empty cache.
check-problems: all ## prove that every problem is sound and that its solutions get their verdicts
check-problems-sample: all
check-problems check-problems-sample:
	@home=$$(mktemp -d); $(if $(filter %-sample,$@),test -z "$$WARPJUDGE_TEST_SHARED" || \
	    ln -s "$$WARPJUDGE_TEST_SHARED/cache" $$home/cache;) \
	  slugs=--all; case $@-$$WARPJUDGE_TEST_TURN in *-sample-[0-9]*) \
	    slugs=$$(ls problems/*/problem.json | cut -d/ -f2 | awk -v t="$$WARPJUDGE_TEST_TURN" 'NR % 6 == t % 6') ;; esac; \
	  WARPJUDGE_HOME=$$home $(B)/bin/warpjudge problem check $$slugs \
	  --jobs $(shell nproc) $(if $(filter %-sample,$@),--sample); \
	  status=$$?; rm -rf "$$home"; exit $$status

test-attacks: all ## all submissions of tests/attacks that need no GPU
	@python3 tests/run.py $(B) test_attacks test_attacks_rest

fuzz: test-packages ## fuzz everything that parses what strangers send, SECONDS=60 each
	tests/fuzz/run $(or $(SECONDS),60)

# --- gates ----------------------------------------------------------------------------------

C_FILES  := $(shell git ls-files -co --exclude-standard '*.c' '*.h' '*.inc' 2>/dev/null || \
              find judge harness tests -name '*.[ch]' -o -name '*.inc')
LINT     := $(filter judge/%.c harness/%.c,$(C_FILES))
CUDA_INCLUDE := $(if $(CUDA),-I$(CUDA)/include)

gates: format-check includes paths sentences commits portable types analyze tidy ## clang-format, gcc -fanalyzer, clang-tidy, tsc, and tests/gates

includes paths commits portable:
	@echo "tests/gates/$@"; tests/gates/$@

# Documents, and the folders whose comments are done.
SENTENCES := docs README.md CONTRIBUTING.md CHANGELOG.md judge harness \
             $(addprefix tests/,bench demo emu golden gpu kernels late planted tools)

sentences:
	@echo "tests/gates/sentences"; tests/gates/sentences $(SENTENCES)

format: ## rewrite the sources in the project's style
	@clang-format -i $(C_FILES)

# clang-format breaks a section's rule that is too long, and is content with what comes out.
format-check: | test-packages
	@echo "clang-format --dry-run"; clang-format --dry-run -Werror $(C_FILES)
	@if grep -nE '^/\* -{3}([^*]|\*[^/])*$$' $(C_FILES); then \
	  echo "the rule of a section is one line, which ends with */" >&2; exit 1; fi

# What an analyser reads: the text with its headers and comments (NOLINT is one), and .clang-tidy.
# One that has passed on the same text before is not run again (tests/tools/known-good).
LINTED = $(CC) $(BASE) $(CUDA_INCLUDE) -O1 -E -CC -MF $(basename $@).d \
         $(addprefix -MT $(basename $@),.analyzed .tidied .tidied-quick) $<

build/lint/%.analyzed: %.c | test-packages
	@mkdir -p $(@D)
	@echo "analyze $<"; $(LINTED) | tests/tools/known-good $(CC) $(BASE) $(CUDA_INCLUDE) -O1 \
	  -fanalyzer -Werror -Wno-analyzer-too-complex -MF /dev/null -c $< -o $(@:.analyzed=.o)
	@touch $@

# clang's own analysis of paths takes ten times as long as all other checks, and gcc's is beside it.
# So `make test-all` leaves it to `make gates`.
TIDY = @mkdir -p $(@D); echo "tidy $<"; { cat .clang-tidy; $(LINTED); } | tests/tools/known-good \
  clang-tidy --quiet --warnings-as-errors='*' $(1) $< -- -std=gnu17 -D_GNU_SOURCE \
  -Ijudge -Iharness $(CUDA_INCLUDE) 2>$@.log || { cat $@.log; exit 1; }; touch $@

build/lint/%.tidied: %.c .clang-tidy | test-packages
	$(call TIDY)

build/lint/%.tidied-quick: %.c .clang-tidy | test-packages
	$(call TIDY,--checks=-clang-analyzer-*)

analyze: $(LINT:%.c=build/lint/%.analyzed)
tidy: $(LINT:%.c=build/lint/%.tidied)
tidy-quick: $(LINT:%.c=build/lint/%.tidied-quick)

-include $(shell find build/lint -name '*.d' 2>/dev/null)

compile_commands.json: FORCE ## for clangd: how each source is compiled
	@$(MAKE) -Bn FLAVOUR=asan programs unit-tests build/asan/bench/emulator | \
	  tests/tools/compile-commands >$@
.PHONY: FORCE

# For tests/fuzz/run: the sources a test file links.
.PHONY: print-sources
print-sources:
	@echo $(subst $(record),$(record_sources),$(foreach l,$(call links,$(FILE)),$($(l))))
