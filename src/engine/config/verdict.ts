import { join } from 'node:path';
import type { Warning } from '../errors/index.js';
import { readJsonFile, writeJsonFile } from '../support/json-file.js';
import { isRecord, shortHash } from '../support/text.js';

/** Identifies the rules of a build; set by scripts/build.js, undefined without a build. */
declare const SVC_CONFIG_RULES: string | undefined;

/** A text without faults. */
interface Verdict {
  readonly key: string;
  readonly warnings: readonly Warning[];
}

/** More than anyone switches between. */
const MOST_KEPT = 20;
const FILE_NAME = 'config-verdicts.json';

/**
 * The warnings of a text known to be valid. Checking takes longer than anything else at startup,
 * and depends only on the text, its path, the rules and Node.js, which are all in the key. Stores
 * none of the text.
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

/** Remembers that a text is valid. If that fails, it is checked again next time. */
export function keepWarnings(
  cacheDir: string,
  file: string,
  text: string,
  warnings: readonly Warning[],
): void {
  const key = keyOf(file, text);
  if (key === undefined) return;
  const others = readVerdicts(cacheDir).filter((verdict) => verdict.key !== key);
  const kept = [...others.slice(1 - MOST_KEPT), { key, warnings }];
  try {
    writeJsonFile(join(cacheDir, FILE_NAME), kept);
  } catch {
    // A full or read-only disk only makes starting slower.
  }
}

function keyOf(file: string, text: string): string | undefined {
  if (typeof SVC_CONFIG_RULES === 'undefined') return undefined;
  const print = shortHash([SVC_CONFIG_RULES, process.version, file, text].join('\0'));
  return `${text.length}-${print}`;
}

function readVerdicts(cacheDir: string): readonly Verdict[] {
  const value = readJsonFile(join(cacheDir, FILE_NAME));
  return Array.isArray(value) ? value.filter(isVerdict) : [];
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
