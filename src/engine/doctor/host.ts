import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { currentUser } from '../secrets/path-safety.js';

/** What a file system has left. */
export interface DiskSpace {
  readonly freeBytes: number;
  /** Files that can still be made; undefined where the file system has no limit. */
  readonly freeFiles: number | undefined;
}

/** What the doctor asks of the machine; handed in, so that tests can choose another one. */
export interface Host {
  /** Like `20.19.4`. */
  readonly nodeVersion: string;
  readonly platform: NodeJS.Platform;
  /** Undefined where users have no numbers (Windows). */
  readonly uid: number | undefined;
  /** Where the kernel tells its settings. */
  readonly procDir: string;
  /** When the program's own files were written; milliseconds since the epoch. */
  readonly programWrittenMs: number;
  /** @throws the system's error */
  readonly diskSpace: (folder: string) => Promise<DiskSpace>;
}

/** The machine that this process runs on. */
export function thisHost(): Host {
  return {
    nodeVersion: process.versions.node,
    platform: process.platform,
    uid: currentUser(),
    procDir: '/proc',
    programWrittenMs: statSync(fileURLToPath(import.meta.url)).mtimeMs,
    diskSpace: async (folder) => {
      const { bavail, bsize, files, ffree } = await statfs(folder);
      return { freeBytes: bavail * bsize, freeFiles: files === 0 ? undefined : ffree };
    },
  };
}
