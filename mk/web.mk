# The scripts of the pages: TypeScript of judge/web, which esbuild bundles with npm's packages. They
# are the same for each flavour. make WEB=0 builds a judge without them.

.PHONY: types
WEB ?= 1
ifeq ($(filter 0 1,$(WEB)),)
$(error WEB is 1, or 0 for a judge whose pages have no scripts)
endif
WEB_OUT     := build/web

# Its mark is new where WEB is not what it was.
$(OBJ)/web-$(WEB):
	@mkdir -p $(@D); rm -f $(OBJ)/web-[01]; touch $@

$(OBJ)/judge/daemon/web/assets.o: $(OBJ)/web-$(WEB)

ifeq ($(WEB),1)
$(OBJ)/judge/daemon/web/assets.o: CFLAGS += -DWEB_SCRIPTS -I$(WEB_OUT)
$(OBJ)/judge/daemon/web/assets.o: $(WEB_OUT)/scripts.inc $(WEB_OUT)/licences.txt.gz

$(WEB_OUT)/.installed: judge/web/package-lock.json mk/npm-packages | packages
	@mk/npm-packages judge/web $(WEB_OUT) && touch $@

# The package of emacs' keys calls its calls pure by which it binds them: bundlers would leave them out.
$(WEB_OUT)/emacs.js: $(WEB_OUT)/.installed
	@sed 's,/\*@__PURE__\*/EmacsHandler\.,EmacsHandler.,' $(WEB_OUT)/node_modules/@replit/codemirror-emacs/dist/index.js >$@

# What is loaded later is in files of its own, which esbuild names after what is in them. The list
# has a row for each.
$(WEB_OUT)/scripts.inc: $(wildcard judge/web/*.ts) judge/web/tsconfig.json $(WEB_OUT)/emacs.js mk/web.mk
	@echo "esbuild judge/web"; rm -rf $(WEB_OUT)/scripts; NODE_PATH=$(WEB_OUT)/node_modules \
	  node $(WEB_OUT)/node_modules/esbuild/bin/esbuild judge/web/page.ts \
	  --bundle --splitting --minify --format=esm --target=es2022 --legal-comments=none \
	  --alias:@replit/codemirror-emacs=./$(WEB_OUT)/emacs.js \
	  --alias:temml=./$(WEB_OUT)/node_modules/temml/dist/temml.mjs --entry-names=[name]-[hash] --chunk-names=[name]-[hash] \
	  --log-level=warning --outdir=$(WEB_OUT)/scripts
	@cd $(WEB_OUT)/scripts && gzip -9nk *.js && ls *.js | \
	  awk '{ printf "SCRIPT(web_script_%d, \"%s\")\n", NR, $$0 }' >../scripts.new
	@mv $(WEB_OUT)/scripts.new $@

# esbuild takes the types away without a look at them.
types: browser-packages $(WEB_OUT)/.installed
	@echo "tsc judge/web"; node build/web-tests/node_modules/typescript/bin/tsc --noEmit -p judge/web

# Whoever serves a bundle hands on what its authors ask for.
$(WEB_OUT)/licences.txt: $(WEB_OUT)/.installed
	@cd $(WEB_OUT)/node_modules && for file in $$(ls -d @codemirror/*/LICENSE @lezer/*/LICENSE \
	    @marijn/*/LICENSE @replit/*/LICENSE crelt/LICENSE style-mod/LICENSE temml/LICENSE w3c-keyname/LICENSE | LC_ALL=C sort); do \
	  printf '%s\n\n' "$${file%/LICENSE}"; cat $$file; echo; done >../licences.txt.new
	@mv $@.new $@

$(WEB_OUT)/%.gz: $(WEB_OUT)/%
	@gzip -9nc $< >$@
endif
