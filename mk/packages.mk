# What Debian must provide.
PACKAGES := gcc g++ make pkg-config git libcjson-dev libcurl4-openssl-dev libsqlite3-dev \
            libevent-dev libseccomp-dev libzstd-dev liblz4-dev zlib1g-dev libmd-dev libinih-dev libsodium-dev libcmark-dev bubblewrap
TEST_PACKAGES := libcmocka-dev clang clang-format clang-tidy python3 python3-jsonschema tzdata
# Where a machine has a browser of this name from elsewhere, that one is taken.
BROWSER_PACKAGES := $(if $(shell command -v chromium 2>/dev/null),,chromium)
# Of tests that `make test` leaves out: nobody's machine gets servers unasked. MariaDB's core is the server without a
# service of its own; slurmdbd's service ends where /etc/slurm has nothing for it.
SERVER_PACKAGES := systemd nginx caddy openssl munge slurm-wlm slurmdbd mariadb-server-core

# Prometheus' check of metrics, alone: its package has the server in it.
PROMTOOL := build/tools/promtool

# Of `make client`; and of the same for arm64: the cross compiler, and what is unpacked as its root.
CLIENT_PACKAGES := gcc make libcjson-dev libcurl4-openssl-dev
ARM64_PACKAGES := gcc-aarch64-linux-gnu qemu-user
ARM64_ROOT_PACKAGES := libc6-dev libcurl4-openssl-dev libcjson-dev

.PHONY: client-packages arm64-packages
client-packages:
	@$(if $(CLIENT_PACKAGES),tests/tools/install-packages $(CLIENT_PACKAGES))

arm64-packages: client-packages
	@tests/tools/install-packages $(ARM64_PACKAGES)

.PHONY: packages test-packages browser-packages server-packages promtool nvcc
packages: nvcc
	@tests/tools/install-packages $(PACKAGES)

test-packages: packages
	@tests/tools/install-packages $(TEST_PACKAGES)

# And what drives it, of npm: playwright-core and axe-core.
browser-packages: packages
	@test -z "$(BROWSER_PACKAGES)" || tests/tools/install-packages $(BROWSER_PACKAGES)
	@mk/npm-packages tests/web build/web-tests

promtool: $(PROMTOOL)
$(PROMTOOL):
	@tests/tools/take-from-package prometheus usr/bin/promtool $@

server-packages: packages promtool
	@tests/tools/install-packages $(SERVER_PACKAGES)

nvcc:
	@test -n "$(NVCC)" || { echo "warpjudge needs nvcc of the CUDA Toolkit, on PATH or under" \
	  "/usr/local/cuda: install the toolkit (https://developer.nvidia.com/cuda-downloads)" \
	  "or put its bin folder on PATH" >&2; exit 2; }
	@test -n "$(CUDA)" || { echo "$(NVCC) does not say where its CUDA Toolkit is: put the" \
	  "toolkit's own bin folder on PATH" >&2; exit 2; }

DIST_PACKAGES := patchelf
dist-packages: packages
	@tests/tools/install-packages $(DIST_PACKAGES)
.PHONY: dist-packages
