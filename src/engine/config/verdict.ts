import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Warning } from '../errors/index.js';
import { parsedJson } from '../parse-json.js';
import { shortHash } from '../short-hash.js';
import { isRecord } from './config-path.js';

/** Names the rules that a build checks by; put in by scripts/build.js, and missing where nothing was built. */
declare const SVC_CONFIG_RULES: string | undefined;

/** A text that was checked in full and found without faults. */
interface Verdict {
  readonly key: string;
  readonly warnings: readonly Warning[];
}

/** As many as a person may go back and forth between. */
const MOST_KEPT = 20;
const FILE_NAME = 'config-verdicts.json';

/**
 * The warnings of a text that was found valid before; undefined for one that has to be checked. Checking
 * takes longer than anything else that a start does, and depends on nothing but the text, its place, the
 * rules and the tables of Node.js, all of which are in the key. No word of the text is kept.
 */
export function knownWarnings(
  cacheDir: string,
  file: string,
  text: string,
): readonly Warning[] | undefined {
  const key = keyOf(file, text);
  if (key === undefined) return undefined;
  return readVerdicts(cacheDir).find((verdict) => verdict.key === key)?.warnings;
}

/** Remembers that a text has no faults. What cannot be written is checked again next time. */
export async function keepWarnings(
  cacheDir: string,
  file: string,
  text: string,
  warnings: readonly Warning[],
): Promise<void> {
  const key = keyOf(file, text);
  if (key === undefined) return;
  const others = readVerdicts(cacheDir).filter((verdict) => verdict.key !== key);
  const kept = [...others.slice(1 - MOST_KEPT), { key, warnings }];
  try {
    // It loads what a start does without.
    const { PRIVATE_MODE, replaceFile } = await import('../replace-file.js');
    mkdirSync(cacheDir, { recursive: true, mode: 0o700 });
    replaceFile(join(cacheDir, FILE_NAME), `${JSON.stringify(kept)}\n`, PRIVATE_MODE);
  } catch {
    // A full disk, or one that may not be written to, makes a start slower.
  }
}

function keyOf(file: string, text: string): string | undefined {
  if (typeof SVC_CONFIG_RULES === 'undefined') return undefined;
  const print = shortHash([SVC_CONFIG_RULES, process.version, file, text].join('\0'));
  return `${text.length}-${print}`;
}

function readVerdicts(cacheDir: string): readonly Verdict[] {
  try {
    const value = parsedJson(readFileSync(join(cacheDir, FILE_NAME), 'utf8'));
    return Array.isArray(value) ? value.filter(isVerdict) : [];
  } catch {
    return [];
  }
}

function isVerdict(value: unknown): value is Verdict {
  return (
    isRecord(value) &&
    typeof value['key'] === 'string' &&
    Array.isArray(value['warnings']) &&
    value['warnings'].every(isWarning)
  );
}

function isWarning(value: unknown): value is Warning {
  return (
    isRecord(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
  );
}
