import type { EntryValue } from './document-editor.js';

const BARE_KEY = /^[A-Za-z0-9_-]+$/u;

/** A value as TOML writes it, on one line. */
export function tomlText(value: EntryValue): string {
  if (typeof value === 'string') return basicString(value);
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(tomlText).join(', ')}]`;
  const entries = Object.entries(value).map(([key, item]) => `${tomlKey(key)} = ${tomlText(item)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

/** A key as TOML writes it, bare where it can be. */
export function tomlKey(key: string): string {
  return BARE_KEY.test(key) ? key : basicString(key);
}

/** JSON's escapes are a part of TOML's; only DEL has to be escaped as well. */
function basicString(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', '\\u007F');
}

function isList(value: EntryValue): value is readonly EntryValue[] {
  return Array.isArray(value);
}
