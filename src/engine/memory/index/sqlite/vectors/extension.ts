import { createRequire } from 'node:module';
import type { ResolvedMemorySearch } from '../../../../config/index.js';
import { messageOf } from '../../../../errors/index.js';
import type { Connection } from '../../../../sqlite/database.js';
import { queryValue } from '../../../../sqlite/query.js';
import type { VectorExtension } from '../../embedding-records.js';

/** Whether and from where the vector extension is loaded. */
export type VectorSettings = ResolvedMemorySearch['store']['vector'];

export const DEFAULT_VECTOR_SETTINGS: VectorSettings = { enabled: true };

/** sqlite-vec's entry point; SQLite would guess it from the file name. */
const ENTRY_POINT = 'sqlite3_vec_init';

/** Loads sqlite-vec into a connection. Errors are returned, not thrown. */
export function loadVectorExtension(
  database: Connection,
  settings: VectorSettings,
): VectorExtension {
  if (!settings.enabled) return { loaded: false, why: 'store.vector.enabled is false' };
  try {
    const path = settings.extensionPath ?? bundledPath();
    database.loadExtension(path, ENTRY_POINT);
    const version = queryValue<string>(database, 'SELECT vec_version()') ?? '';
    return { loaded: true, version: version.replace(/^v/, ''), path };
  } catch (error) {
    // The lines after the first are where Node.js looked for the package.
    const [why = ''] = messageOf(error).split('\n');
    return { loaded: false, why: why.replace(TRIED_ENDING, '$1') };
  }
}

/** SQLite tries a path that it cannot load again with the ending of the platform, and reports only that. */
const TRIED_ENDING = /(\.(?:dll|dylib|so))\1/u;

/** The library in this platform's package, which npm omits where there is none. */
function bundledPath(): string {
  const { getLoadablePath }: typeof import('sqlite-vec') = requireHere('sqlite-vec');
  return getLoadablePath();
}

const requireHere = createRequire(import.meta.url);
