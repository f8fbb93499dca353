import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readTrialSetting, type TrialSetting, trialObject } from '../config/trial-settings.js';
import { SvcError } from '../errors/index.js';
import type { MemoryStore } from '../memory/forget/index.js';
import { deleteIndex } from '../memory/home/build-file.js';
import { type MemoryTrial, trialIndexFolder } from '../memory/index.js';
import type { Clock, StatePaths } from '../support/context.js';

/** Settings to evaluate. */
export interface Trial extends MemoryTrial {
  readonly name: string;
  readonly parts: readonly TrialSetting[];
}

/** The configured settings. */
export const AS_CONFIGURED: Trial = {
  name: 'as configured',
  parts: [],
  settings: {},
  indexKey: undefined,
};

/**
 * Parses `--compare`: variants separated by commas, settings of one variant by `+`. Text in quotes, brackets
 * or braces is not split, so any JSON can be a value.
 *
 * @throws SvcError USAGE
 */
export function parseTrials(texts: readonly string[]): readonly Trial[] {
  const names = texts.flatMap((text) => splitOutside(text, ','));
  const trials = new Map(names.map((name) => [name, toTrial(name)]));
  return [...trials.values()];
}

/** Whether a trial sets a key itself. */
export function setsKey({ parts }: Trial, key: string): boolean {
  return parts.some(({ path }) => path.join('.') === key);
}

/** Parses one variant. @throws SvcError USAGE */
export function toTrial(name: string): Trial {
  const parts = splitOutside(name, '+').map(readSetting);
  const indexing = parts.filter(({ path }) => path[0] !== 'query');
  const key = indexing.map(({ path, value }) => `${path.join('.')}=${JSON.stringify(value)}`);
  return {
    name,
    parts,
    settings: trialObject(parts),
    indexKey: key.length === 0 ? undefined : key.sort().join('\n'),
  };
}

function readSetting(text: string): TrialSetting {
  const at = text.indexOf('=');
  if (at > 0) return readTrialSetting(text.slice(0, at).trim(), text.slice(at + 1).trim());
  throw new SvcError('USAGE', `--compare must list settings as key=value (got "${text}")`, {
    hint: 'for example: --compare provider=openai,hybrid.textWeight=0.5+chunking.tokens=200',
  });
}

/** Splits at separators outside quotes and brackets; drops blank pieces. */
function splitOutside(text: string, separator: string): readonly string[] {
  const pieces: string[] = [''];
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"' && text.charAt(at - 1) !== '\\') isQuoted = !isQuoted;
    else if (!isQuoted && '[{'.includes(character)) depth += 1;
    else if (!isQuoted && ']}'.includes(character)) depth -= 1;
    if (character === separator && !isQuoted && depth <= 0) pieces.push('');
    else pieces[pieces.length - 1] += character;
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}

/** Indexes kept for the next evaluation, to avoid paying for the same embeddings again. */
const KEPT = 8;
const ENDING = '.sqlite';

/** Deletes trial indexes that were not used recently. */
export async function tidyTrialIndexes(state: StatePaths, clock: Clock): Promise<void> {
  for (const file of trialIndexes(state).slice(KEPT)) await remove(file, clock);
}

/** Deletes all trial indexes when something is forgotten, since they contain text of notes; undefined without any. */
export function trialStore(state: StatePaths, clock: Clock): MemoryStore | undefined {
  if (trialIndexes(state).length === 0) return undefined;
  return {
    follow: async () => {
      const files = trialIndexes(state);
      let changed = 0;
      for (const file of files) if (await remove(file, clock)) changed += 1;
      return { store: 'trial indexes', changed, clean: changed === files.length };
    },
  };
}

/** Most recently used first. */
function trialIndexes(state: StatePaths): readonly string[] {
  const folder = trialIndexFolder(state);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => join(folder, name))
    .map((file) => ({ file, usedMs: statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((a, b) => b.usedMs - a.usedMs)
    .map(({ file }) => file);
}

/** @returns false if another process is writing it */
async function remove(file: string, clock: Clock): Promise<boolean> {
  try {
    await deleteIndex(file, clock);
    return true;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}
