import { createRequire } from 'node:module';
import { messageOf } from '../../../errors/index.js';
import type { Connection } from '../../../sqlite/database.js';
import type { VectorSettings } from './vector-settings.js';

/** What became of loading the extension; `why` is a clause for people. */
export type VectorExtension =
  | { readonly loaded: true; readonly version: string; readonly path: string }
  | { readonly loaded: false; readonly why: string };

/** sqlite-vec's entry point, named because SQLite would guess it from the name of the file. */
const ENTRY_POINT = 'sqlite3_vec_init';

/** Loads sqlite-vec into a connection. Whatever goes wrong is told and not thrown. */
export function loadVectorExtension(
  database: Connection,
  settings: VectorSettings,
): VectorExtension {
  if (!settings.enabled) return { loaded: false, why: 'store.vector.enabled is false' };
  try {
    const path = settings.extensionPath ?? bundledPath();
    // The types of better-sqlite3 leave its second argument out.
    const loader: { loadExtension(file: string, entryPoint?: string): void } = database;
    loader.loadExtension(path, ENTRY_POINT);
    const version = database.prepare<[], string>('SELECT vec_version()').pluck().get() ?? '';
    return { loaded: true, version: version.replace(/^v/, ''), path };
  } catch (error) {
    // What follows the first line is where Node.js looked for the package.
    const [why = ''] = messageOf(error).split('\n');
    return { loaded: false, why };
  }
}

/** The library in the package for this platform; npm leaves that package out where there is none. */
function bundledPath(): string {
  const { getLoadablePath }: typeof import('sqlite-vec') = requireHere('sqlite-vec');
  return getLoadablePath();
}

const requireHere = createRequire(import.meta.url);
