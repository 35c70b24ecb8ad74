# The command line alone, for a laptop: it needs libcurl and cJSON, and no nvcc. Its sources are
# compiled without what glibc has beyond POSIX, so that one which calls more does not compile.

CLIENT := build/client
CLIENT_CC := $(CC)

# The verbs that work with the judge's own programs and files are left out; remote/ stands for them.
client_absent := $(addprefix judge/cli/,serve.c rerun.c job_run.c problem.c problem_new.c preview.c draft.c \
                   backup.c daemon_start.c grade.c verify.c key.c bundle.c worker.c) \
                 $(wildcard judge/cli/emu*.c judge/cli/check*.c judge/cli/doctor*.c judge/cli/grade_*.c judge/cli/worker_*.c) \
                 harness/compile/linked.c
client := judge/cli/main.c $(filter-out $(client_absent),$(cli)) $(wildcard judge/cli/remote/*.c) \
          $(addprefix judge/record/,failure_grid.c secret_form.c verdict.c ranked_interval.c rank.c) judge/problem/names.c \
          $(addprefix harness/numbers/,statistics.c pass_at_k.c) \
          $(addprefix harness/base/,base64.c buf.c config.c file.c inject.c json.c json_text.c html.c line_diff.c report.c utf8.c \
            wall_clock.c)

CLIENT_CFLAGS := $(filter-out -D_GNU_SOURCE,$(BASE)) -O2 $(HARDEN)
# macOS hides what is not POSIX where it is asked for POSIX, sizes of terminals among it.
ifneq ($(shell uname -s),Darwin)
CLIENT_CFLAGS += -D_XOPEN_SOURCE=700
CLIENT_LDFLAGS := -pie -Wl,-z,relro,-z,now
endif

.PHONY: client
client: $(CLIENT)/bin/warpjudge ## build/client/bin/warpjudge: the command line alone, for laptops

$(CLIENT)/obj/%.o: %.c | client-packages
	@mkdir -p $(@D); echo "cc   $<"
	@$(CLIENT_CC) $(CLIENT_CFLAGS) -c $< -o $@

$(CLIENT)/obj/judge/cli/explain.o: $(wildcard judge/cli/topics/*.txt)

$(CLIENT)/bin/warpjudge: $(client:%.c=$(CLIENT)/obj/%.o)
	@mkdir -p $(@D); echo "link $@"
	@$(CLIENT_CC) $(CLIENT_LDFLAGS) $^ -o $@ -lcurl -lcjson -lm

-include $(shell find $(CLIENT)/obj -name '*.d' 2>/dev/null)

# The same for arm64, with Debian's own packages for it in a folder. tests/e2e/test_client.py runs it
# under qemu-user.
ARM64_ROOT := build/arm64-root

.PHONY: client-arm64
client-arm64: $(ARM64_ROOT) | arm64-packages ## build/client-arm64/bin/warpjudge: the same for arm64
	+@$(MAKE) client CLIENT=build/client-arm64 CLIENT_PACKAGES= \
	  CLIENT_CC='aarch64-linux-gnu-gcc --sysroot=$(abspath $(ARM64_ROOT))'

$(ARM64_ROOT):
	@tests/tools/arm64-root $@ $(ARM64_ROOT_PACKAGES)

# For tests/gates/portable.
.PHONY: print-client
print-client:
	@echo $(client)
