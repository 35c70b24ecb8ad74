// The keys of emacs, which are loaded for who chooses them.

import { emacs } from "@replit/codemirror-emacs";
import type { Extension } from "@codemirror/state";

export function keys(): Extension {
    return emacs();
}
