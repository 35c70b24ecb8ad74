// The keys of vim, which are loaded for who chooses them.

import { vim } from "@replit/codemirror-vim";
import type { Extension } from "@codemirror/state";

export function keys(): Extension {
    return vim({ status: true });
}
