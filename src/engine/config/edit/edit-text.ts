import type { ConfigPath } from '../config-path.js';
import { applyEdits, type JSONPath, modify } from '../jsonc.js';
import { removeValue } from './remove-value.js';

/**
 * The text with one value set (or removed, when the value is undefined). Comments and everything
 * else stay as they are; new lines follow the indentation and line ends of the text.
 */
export function editConfigText(text: string, path: ConfigPath, value: unknown): string {
  if (value === undefined) return removeValue(text, path);
  const jsonPath: JSONPath = [...path];
  const edits = modify(text, jsonPath, value, { formattingOptions: formattingOf(text) });
  return applyEdits(text, edits);
}

function formattingOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^([ \t]+)\S/mu.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
