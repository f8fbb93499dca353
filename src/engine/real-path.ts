import { realpathSync } from 'node:fs';

/** The path without symbolic links in it; as it is given where it cannot be followed to its end. */
export function realOrGiven(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
