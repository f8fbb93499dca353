import { type Stats, statSync } from 'node:fs';
import { messageOf, SvcError } from '../../errors/index.js';

/**
 * What the file system says of a file of an index; undefined where there is none.
 *
 * @throws SvcError INDEX_UNWRITABLE for a folder that may not be entered
 */
export function statIndex(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (cause) {
    throw new SvcError(
      'INDEX_UNWRITABLE',
      `cannot look at the index ${file}: ${messageOf(cause)}`,
      {
        hint: 'check the permissions of its folder, or move it with memorySearch.store.path',
        cause,
      },
    );
  }
}
