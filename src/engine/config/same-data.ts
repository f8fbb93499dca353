import { isRecord } from './config-path.js';

/** Whether two values of parsed texts, of JSON or TOML, say the same. */
export function isSameData(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, at) => isSameData(item, b[at]));
  }
  if (a instanceof Date && b instanceof Date) return String(a) === String(b);
  if (!isRecord(a) || !isRecord(b)) return Object.is(a, b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSameData(a[key], b[key]))
  );
}
