import type { Stage } from "../stage.ts";

/** As from a server that sends no bookmarks. */
export const withoutBookmarks: Stage = (down) => ({
  line(line) {
    if (line.type !== "BOOKMARK") down.line(line);
  },
  end: (why) => down.end(why),
});
