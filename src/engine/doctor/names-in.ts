import { readdirSync } from 'node:fs';
import { systemErrorCode } from '../errors/index.js';

/** What is in a folder; nothing where it cannot be read, which other checks tell. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return [];
    throw error;
  }
}
