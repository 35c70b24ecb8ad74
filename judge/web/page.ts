// What each page loads. Without it all pages work, too.

import { announce_begin } from "./dom";
import { preview_begin } from "./preview";
import { progress_begin } from "./progress";
import { solution_begin } from "./solution";

function set_tex(root: ParentNode): void {
    if (root.querySelector("code.tex, code.language-tex") !== null)
        void import("./tex").then((module) => module.tex_begin(root));
}

announce_begin();
solution_begin(document);
progress_begin(document);
preview_begin(document, set_tex);
set_tex(document);
