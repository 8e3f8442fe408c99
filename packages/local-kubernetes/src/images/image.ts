/** What a container gets of an image: programs of this machine at the image's paths, and the image's defaults. */
export interface Image {
  /** The same for the same content; shown as the imageID. */
  readonly id: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly uid: number;
  readonly gid: number;
  /** Files and folders of this machine, seen read-only in the container. */
  readonly binds: readonly ImageBind[];
  /** Symbolic links, by their path under /usr/local/bin. */
  readonly links: Readonly<Record<string, string>>;
}

export interface ImageBind {
  readonly source: string;
  /** A path under /usr/local or /opt. */
  readonly target: string;
}

/** An image that brings nothing of its own beside the machine's tools. */
export const plainImage: Omit<Image, "id"> = {
  entrypoint: [],
  cmd: [],
  env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
  workingDir: "/",
  uid: 0,
  gid: 0,
  binds: [],
  links: {},
};
