import { join } from 'node:path';
import type { StatePaths } from '../../context.js';
import type { ForgetPlaces } from './forget-list.js';

/**
 * Where forgetting keeps what it needs of one index. Not in the cache: an index may be thrown away, and is
 * without what is forgotten all the same.
 *
 * @param indexName an agent's id, or what stands for a folder
 */
export function forgetPlaces(
  { stateDir }: Pick<StatePaths, 'stateDir'>,
  indexName: string,
): ForgetPlaces {
  const folder = join(stateDir, 'forgotten');
  return { listFile: join(folder, `${indexName}.json`), backupDir: join(folder, indexName) };
}
