/* The files that pages refer to. They are in the program, and their names have a hash of
 * what is in them, so that a browser keeps each for as long as it likes. */
#ifndef DAEMON_WEB_ASSETS_H
#define DAEMON_WEB_ASSETS_H

/*       enumerator  name     ending  Content-Type */
#define ASSETS(X)                                                                        \
    X(STYLE, "style", "css", "text/css; charset=utf-8")                                  \
    X(ICON, "icon", "svg", "image/svg+xml")                                              \
    X(LICENCES, "licences", "txt", "text/plain; charset=utf-8")

enum asset {
#define X(name, text, ending, type) ASSET_##name,
    ASSETS(X)
#undef X
        ASSET_COUNT
};

/* The name of the script that each page loads. It loads others, such as the editor, when
 * they are wanted. NULL: this judge was built without scripts. */
const char *asset_page_script(void);

/* The name below /assets/, such as style-0123456789abcdef.css. NULL: this judge was built
 * without scripts (make WEB=0), and it is one of their files. */
const char *asset_name(enum asset asset);

#endif
