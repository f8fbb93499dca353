import { rm } from 'node:fs/promises';
import { changeLines } from '../../text-diff.js';
import type { Mend } from '../finding.js';

/** A file that can go. */
export interface RemovableFile {
  /** Absolute path. */
  readonly path: string;
  readonly bytes: number;
}

/** How files are removed. */
export interface RemoveFilesOptions {
  readonly title: string;
  readonly safe: boolean;
  readonly files: readonly RemovableFile[];
  /**
   * Does the removing while nobody can begin to use the files.
   *
   * @throws SvcError when somebody does
   */
  readonly whileUnused?: (remove: () => Promise<void>) => Promise<void>;
}

/** Removes files; one that is gone already is no failure. */
export function removalMend({ title, safe, files, whileUnused }: RemoveFilesOptions): Mend {
  const remove = async (): Promise<void> => {
    for (const { path } of files) await rm(path, { force: true });
  };
  return {
    title,
    safe,
    diff: changeLines(
      files.map(({ path, bytes }) => `${path}  ${bytes} bytes`),
      [],
    ),
    changes: 'state',
    apply: () => (whileUnused === undefined ? remove() : whileUnused(remove)),
  };
}
