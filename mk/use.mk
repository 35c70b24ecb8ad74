# Demo, bench, dist, install, and what needs a GPU.

.PHONY: demo bench bench-server bench-board bench-scale bench-bulk bench-cluster dist install test-gpu timing-gpu staying-gpu following-gpu test-attacks-gpu test-grading-gpu clean

##@ Use
demo: all ## judge six kernels with the real daemon and print what a user sees
	tests/demo/run $(B)

bench: all $(B)/bench/emulator $(B)/bench/kernels.ptx $(B)/bench/runtime bench-server bench-board ## time from submit to verdict against nvcc alone, peak memory, arbiters that stay against others, 1,000 streams of events, 10 open pages beside 290, emulator speed, the daemon under load, a board of 1,000,000 entries
	$(B)/bench/emulator $(B)/bench/kernels.ptx
	$(B)/bin/warpjudge emu $(B)/bench/runtime
	python3 tests/bench/run.py $(B)
	python3 tests/bench/staying.py $(B)
	python3 tests/bench/events.py $(B)
	python3 tests/bench/events.py $(B) 290 15 10

bench-server: all $(B)/bench/children $(B)/bench/http_load $(B)/bench/bare_http ## the daemon alone: start, lists, submissions and hostile clients
	$(B)/bench/children
	python3 tests/bench/server.py $(B)

bench-board: all $(B)/bench/board $(B)/bench/http_load ## a board of 1,000,000 entries: start, places, pages, histogram, results
	@folder=$$(mktemp -d) && $(B)/bench/board $$folder; status=$$?; rm -rf $$folder; exit $$status
	python3 tests/bench/server.py $(B) 1000000 board

bench-scale: all ## what holds the event loop with 1,000,000 submissions: accounts, grades, deleting, Slurm's steps
	python3 tests/bench/scale.py $(B)

bench-bulk: all ## 10,000 lines graded on emu, with kills of grade, daemon and workers, against a run without: half an hour
	python3 tests/bench/bulk.py $(B)

bench-cluster: all ## what workers cost the daemon, 50 to 200 of them that judge nothing, and what a thousand GPUs saturate
	python3 tests/bench/cluster.py $(B) constants
	python3 tests/bench/cluster.py $(B) seen
	python3 tests/bench/cluster_model.py

$(B)/bench/board: $(call objects,tests/bench/board.c $(common))
	@mkdir -p $(@D); echo "link $@"; $(CC) $(LDFLAGS) $^ -o $@ $(LIBS_common) -lsqlite3

$(B)/bench/children: $(call objects,tests/bench/children.c judge/daemon/child.c judge/daemon/log.c \
                         judge/daemon/loop_watch.c judge/daemon/priority.c judge/daemon/spawn.c \
                         $(common))
	@mkdir -p $(@D); echo "link $@"; $(CC) $(LDFLAGS) $^ -o $@ $(LIBS_common) -levent_core

$(B)/bench/http_load $(B)/bench/bare_http: $(B)/bench/%: $(OBJ)/tests/bench/%.o
	@mkdir -p $(@D); echo "link $@"; $(CC) $(LDFLAGS) $^ -o $@ -levent_core -levent_extra

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

##@ On a GPU
test-attacks-gpu: all ## all submissions of tests/attacks on a real GPU
	tests/gpu/attacks $(B)

following-gpu: all ## on a real GPU: an honest program behind each attacker, and others that are cancelled around it
	tests/gpu/following $(B) $(B)/following

test-grading-gpu: all ## bulk grading of all solutions: what emu rejects, and that it rejects nothing right
	tests/gpu/grading $(B)

test-gpu: all ## every solution and every test kernel on a real GPU
	tests/gpu/run $(B)

timing-gpu: all ## the clock on a real GPU: queue, CUDA events, 300 honest submissions (10 minutes)
	tests/gpu/timing $(B) $(B)/timing.json

staying-gpu: all ## bulk grading on a real GPU by arbiters that stay and by others: rate, times, poison (10 minutes)
	tests/gpu/staying $(B) $(B)/staying

##@ Install
install: all ## programs, documents, manual page, completions and the systemd unit to DESTDIR/PREFIX (default /usr/local)
	tests/tools/install $(B) $(PREFIX) $(DESTDIR)

clean: ## remove everything that was built
	rm -rf build dist
