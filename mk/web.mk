# The scripts of the pages: TypeScript of judge/web, which esbuild bundles with npm's packages. They
# are the same for each flavour. make WEB=0 builds a judge without them.

.PHONY: types
WEB ?= 1
ifeq ($(filter 0 1,$(WEB)),)
$(error WEB is 1, or 0 for a judge whose pages have no scripts)
endif
WEB_OUT     := build/web
WEB_SCRIPTS := page editor
WEB_FILES   := $(WEB_SCRIPTS:%=$(WEB_OUT)/%.js) $(WEB_OUT)/licences.txt

# Its mark is new where WEB is not what it was.
$(OBJ)/web-$(WEB):
	@mkdir -p $(@D); rm -f $(OBJ)/web-[01]; touch $@

$(OBJ)/judge/daemon/web/assets.o: $(OBJ)/web-$(WEB)

ifeq ($(WEB),1)
$(OBJ)/judge/daemon/web/assets.o: CFLAGS += -DWEB_SCRIPTS
$(OBJ)/judge/daemon/web/assets.o: $(WEB_FILES:%=%.gz)

$(WEB_OUT)/.installed: judge/web/package-lock.json mk/npm-packages | packages
	@mk/npm-packages judge/web $(WEB_OUT) && touch $@

$(WEB_SCRIPTS:%=$(WEB_OUT)/%.js) &: $(wildcard judge/web/*.ts) judge/web/tsconfig.json $(WEB_OUT)/.installed
	@echo "esbuild judge/web"; NODE_PATH=$(WEB_OUT)/node_modules \
	  node $(WEB_OUT)/node_modules/esbuild/bin/esbuild $(WEB_SCRIPTS:%=judge/web/%.ts) \
	  --bundle --minify --format=esm --target=es2022 --legal-comments=none \
	  --log-level=warning --outdir=$(WEB_OUT)
	@touch $(WEB_SCRIPTS:%=$(WEB_OUT)/%.js)

# esbuild takes the types away without a look at them.
types: browser-packages $(WEB_OUT)/.installed
	@echo "tsc judge/web"; node build/web-tests/node_modules/typescript/bin/tsc --noEmit -p judge/web

# Whoever serves a bundle hands on what its authors ask for.
$(WEB_OUT)/licences.txt: $(WEB_OUT)/.installed
	@cd $(WEB_OUT)/node_modules && for file in $$(ls -d @codemirror/*/LICENSE @lezer/*/LICENSE \
	    @marijn/*/LICENSE crelt/LICENSE style-mod/LICENSE w3c-keyname/LICENSE | LC_ALL=C sort); do \
	  printf '%s\n\n' "$${file%/LICENSE}"; cat $$file; echo; done >../licences.txt.new
	@mv $@.new $@

$(WEB_OUT)/%.gz: $(WEB_OUT)/%
	@gzip -9nc $< >$@
endif
