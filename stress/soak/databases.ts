import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { TempFolder } from '../../test/support/temp-folder.js';

/** Integrity faults in the databases of a state folder. */
export function integrityFaults(home: TempFolder): readonly string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.sqlite'))
    .flatMap((entry) => {
      const database = new Database(join(entry.parentPath, entry.name), { readonly: true });
      try {
        const found: unknown = database.pragma('integrity_check', { simple: true });
        return found === 'ok' ? [] : [`${entry.name}: ${String(found)}`];
      } finally {
        database.close();
      }
    });
}
