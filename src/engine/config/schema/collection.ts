import * as z from 'zod/mini';
import { key, requiredKey, text } from './keys.js';

/** A named folder that the external backend searches (spec/memory-search §2.6, §2.12). */
export function collection() {
  return z.strictObject({
    path: requiredKey(text(), 'Folder, absolute or relative to the workspace'),
    name: key(text(), 'Name of the collection'),
    pattern: key(text(), 'Glob of the files to take, relative to the folder'),
  });
}
