import { readTrialSetting, type TrialSetting, trialObject } from '../config/trial-settings.js';
import { SvcError } from '../errors/index.js';
import type { MemoryTrial } from '../memory/memory-trial.js';

/** Settings to evaluate, with a name for people. */
export interface Trial extends MemoryTrial {
  readonly name: string;
  /** What {@link settings} is made of. */
  readonly parts: readonly TrialSetting[];
}

/** What is configured. */
export const AS_CONFIGURED: Trial = {
  name: 'as configured',
  parts: [],
  settings: {},
  indexKey: undefined,
};

/**
 * Reads what `--compare` says: variants set apart by commas, the settings of one by `+`. What stands
 * in quotes, brackets or braces is not taken apart, so that any JSON can be a value.
 *
 * @throws SvcError USAGE
 */
export function parseTrials(texts: readonly string[]): readonly Trial[] {
  const names = texts.flatMap((text) => splitOutside(text, ','));
  const trials = new Map(names.map((name) => [name, toTrial(name)]));
  return [...trials.values()];
}

/** A trial with one more setting, which only changes how is searched: it uses the same index. */
export function searchedWith(trial: Trial, name: string, value: string): Trial {
  const parts = [...trial.parts, readTrialSetting(name, value)];
  return { ...trial, parts, settings: trialObject(parts) };
}

/** Whether a trial sets a key itself, which then goes before what holds for all. */
export function sets({ parts }: Trial, key: string): boolean {
  return parts.some(({ path }) => path.join('.') === key);
}

function toTrial(name: string): Trial {
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
  throw new SvcError('USAGE', `"${text}" is no setting to compare`, {
    hint: 'write --compare provider=openai,hybrid.textWeight=0.5, and a variant of several as a=1+b=2',
  });
}

/** The pieces between separators that stand outside of quotes and brackets; blank ones are left out. */
function splitOutside(text: string, separator: string): readonly string[] {
  const pieces: string[] = [''];
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"' && text.charAt(at - 1) !== '\\') quoted = !quoted;
    else if (!quoted && '[{'.includes(character)) depth += 1;
    else if (!quoted && ']}'.includes(character)) depth -= 1;
    if (character === separator && !quoted && depth <= 0) pieces.push('');
    else pieces[pieces.length - 1] += character;
  }
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}
