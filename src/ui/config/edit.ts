import type { ConfigEdit, ConfigValue } from '../../engine/config/authoring.js';
import { safeLine } from '../safe-text.js';
import { renderJson } from './effective.js';

/** What an edit did, in one line. */
export function renderEdit({ file, path, before, after, changed }: ConfigEdit): string {
  const name = safeLine(path);
  const place = safeLine(file);
  const was = before === undefined ? '' : ` (was ${short(before)})`;
  if (after === undefined) {
    return changed ? `removed ${name}${was} from ${place}\n` : `${name} is not set in ${place}\n`;
  }
  return changed
    ? `set ${name} to ${short(after)}${was} in ${place}\n`
    : `${name} is ${short(after)} already in ${place}\n`;
}

/** A value for scripts: text without quotes, anything else as JSON. */
export function renderConfigValue({ value }: ConfigValue): string {
  return `${typeof value === 'string' ? safeLine(value) : renderJson(value)}\n`;
}

function short(value: unknown): string {
  return safeLine(JSON.stringify(value) ?? 'null');
}
