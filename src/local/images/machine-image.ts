import { executableInPath } from "../processes/executable.ts";
import { type Image, plainImage } from "./image.ts";
import { ImageError } from "./image-error.ts";

/** The machine's own shell and tools, which stand in for busybox. */
export function toolsImage(): Image {
  return { ...plainImage, id: "local://tools@this-machine", cmd: ["sh"] };
}

/** One program of the machine as an image, such as kubectl. */
export async function programImage(program: string, path = process.env.PATH ?? ""): Promise<Image> {
  const source = await executableInPath(program, path);
  if (!source) throw new ImageError("unobtainable", `${program} is not installed on this machine`);
  return {
    ...plainImage,
    id: `local://${program}@this-machine`,
    entrypoint: [program],
    binds: [{ source, target: `/usr/local/bin/${program}` }],
  };
}
