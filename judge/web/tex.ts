// TeX in statements, which markdown.c has marked, becomes MathML, which browsers set by themselves. Only a
// page that has some loads this. What cannot be read stays as it was written.

import temml from "temml";

export function tex_begin(root: ParentNode): void {
    for (const code of root.querySelectorAll<HTMLElement>("code.tex, code.language-tex")) {
        const display = code.parentElement?.tagName === "PRE";
        const math = document.createElement(display ? "div" : "span");

        math.className = display ? "tex display" : "tex";
        if (display)
            math.tabIndex = 0; // it may be wider than a narrow screen
        try {
            temml.render(code.textContent ?? "", math, { displayMode: display, throwOnError: true, trust: false });
        } catch {
            continue;
        }
        (display ? code.parentElement! : code).replaceWith(math);
    }
}
