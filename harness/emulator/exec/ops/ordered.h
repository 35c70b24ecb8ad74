/* Handlers of what other warps can see, where a warp is held until its turn (order.h). */
#ifndef EMULATOR_ORDERED_H
#define EMULATOR_ORDERED_H

#include "../code.h"

/* Of insn->access; each calls access->plain. */
const struct insn *op_ordered_load(struct warp *w, const struct insn *in);
const struct insn *op_ordered_plain_load(struct warp *w, const struct insn *in);
const struct insn *op_ordered_store(struct warp *w, const struct insn *in);

/* Of insn->extra: calls extra->plain, and leaves no stamp. */
const struct insn *op_ordered_other(struct warp *w, const struct insn *in);

#endif
