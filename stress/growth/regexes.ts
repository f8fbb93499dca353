import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { isRecord } from '../../src/engine/support/text.js';

/** A regular expression in the source. */
export interface SourceRegex {
  /** The first file that contains it, below src. */
  readonly file: string;
  /** As written: `/a+$/u`, or the whole call if it is constructed. */
  readonly text: string;
  /** Undefined if it is constructed at run time. */
  readonly regex: RegExp | undefined;
}

/** Expressions whose time grows faster than their input, and why that is harmless. */
export const HARMLESS_REGEXES: Readonly<Record<string, string>> = {
  '/\\B(?=(?:\\d{3})+$)/g': 'only gets the digits of a number of ours',
};

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));

/** Every distinct regular expression in the source. */
export function sourceRegexes(): readonly SourceRegex[] {
  const found = new Map<string, SourceRegex>();
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.tsx?$/u.test(file)) continue;
    const text = readFileSync(join(SOURCE, file), 'utf8');
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      const regex = regexAt(node, text);
      if (regex !== undefined && !found.has(regex.text)) {
        found.set(regex.text, { file: file.replaceAll('\\', '/'), ...regex });
      }
      for (const child of Object.values(node)) visit(child);
    };
    visit(parseSync(file, text).program);
  }
  return [...found.values()];
}

/** @param node of an ESTree @param text of its file */
function regexAt(node: object, text: string): Omit<SourceRegex, 'file'> | undefined {
  if (!isRecord(node)) return undefined;
  const { type, start, end, callee, regex } = node;
  const written = text.slice(Number(start), Number(end));
  if (type === 'Literal' && isRecord(regex)) {
    return { text: written, regex: new RegExp(String(regex['pattern']), String(regex['flags'])) };
  }
  const isBuilt = type === 'NewExpression' || type === 'CallExpression';
  if (!isBuilt || !isRecord(callee) || callee['name'] !== 'RegExp') return undefined;
  return { text: written.replaceAll(/\s+/gu, ' '), regex: undefined };
}
