import { chmod, mkdir, rm } from "node:fs/promises";

/** Where the data of volumes lies. */
export interface VolumeFolders {
  make(folder: string): Promise<void>;
  remove(folder: string): Promise<void>;
}

/** Folders of this machine. */
export const machineFolders: VolumeFolders = {
  async make(folder) {
    await mkdir(folder, { recursive: true });
    // Every user can write: like the volumes of other local provisioners.
    await chmod(folder, 0o777);
  },
  async remove(folder) {
    await rm(folder, { recursive: true, force: true });
  },
};
