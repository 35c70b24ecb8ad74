# warpjudge: build, demo, test, bench, dist. `make help` lists the targets.
#
# One build tree per flavour, laid out like an installation (harness/base/config.h), so that
# nothing needs to know whether it runs from build/, /usr/local or a dist tarball.

FLAVOUR ?= release
B       := build/$(FLAVOUR)
OBJ     := $(B)/obj
PREFIX  ?= /usr/local

CC      := gcc
WARN    := -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes \
           -Werror=implicit-function-declaration -Wmissing-prototypes -Wformat=2 -Wvla -Wno-psabi
HARDEN  := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fPIE
BASE    := -std=gnu17 -D_GNU_SOURCE -Ijudge -Iharness -g $(WARN) -MMD -MP -ffp-contract=off
ifeq ($(FLAVOUR),asan)
CFLAGS  := $(BASE) -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
           -fno-sanitize-recover=undefined -fPIE
LDFLAGS := -fsanitize=address,undefined -pie
else
CFLAGS  := $(BASE) -O2 -ftree-vectorize $(HARDEN)
LDFLAGS := -pie -Wl,-z,relro,-z,now -Wl,-rpath,'$$ORIGIN/../lib/bundled'
endif

NVCC    := $(or $(shell command -v nvcc 2>/dev/null),$(wildcard /usr/local/cuda/bin/nvcc))
CUDA    := $(if $(NVCC),$(shell mk/cuda-root $(NVCC)))

# Every CPU that this process may use, unless -j says otherwise. A make below another shares
# the other's jobs.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc) --no-print-directory
endif

include mk/packages.mk
include mk/programs.mk
include mk/client.mk
include mk/web.mk
include mk/tests.mk
include mk/use.mk

.DEFAULT_GOAL := all
.PHONY: all help
##@ Build
all: programs ## build everything into build/release

help: ## this list
	@awk -F ':.*## ' '/^##@/ { printf "%s\n", substr($$0, 5) } \
	  /^[a-z_.-]+:.*## / { printf "  make %-22s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
