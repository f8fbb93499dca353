import { readFileSync } from 'node:fs';

/** The version of this program. @param root absolute path of its package */
export function programVersion(root: string): string {
  return versionOf(`${root}/package.json`) ?? 'unknown';
}

/** The version that a package.json names; null where there is none to read. */
export function versionOf(file: string | undefined): string | null {
  try {
    const json: unknown = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'));
    const version: unknown = Reflect.get(Object(json), 'version');
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}
