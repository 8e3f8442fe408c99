import type { Stage } from "../stage.ts";

/** As from a server that sends no bookmarks. */
export function withoutBookmarks(onOmit: () => void): Stage {
  return (down) => ({
    line(line) {
      if (line.type === "BOOKMARK") onOmit();
      else down.line(line);
    },
    end: (why) => down.end(why),
  });
}
