// What each page loads. Without it all pages work, too.

import { announce_begin } from "./dom";
import { progress_begin } from "./progress";
import { solution_begin } from "./solution";

announce_begin();
solution_begin(document);
progress_begin(document);
if (document.querySelector("code.tex, code.language-tex") !== null)
    void import("./tex").then((module) => module.tex_begin(document));
