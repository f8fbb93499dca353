import { type KeyBinding, useKeyMap } from '../components/key-map.js';
import { fitEnd, padEnd, textWidth } from '../fit.js';
import type { Style } from '../style.js';
import type { KeyName } from '../terminal/input-events.js';

/** A key and what it does. */
export type KeyHelp = readonly [key: string, does: string];

/** Room for `q, ctrl-c` and a gap. */
const KEY_COLUMNS = 12;

/** The list of keys, one per line. */
export function keyLines(
  keys: readonly KeyHelp[],
  style: Style,
  columns: number,
  keyColumns = KEY_COLUMNS,
): readonly string[] {
  return keys.map(([key, does]) => {
    const line = fitEnd(padEnd(key, keyColumns) + does, columns);
    return style.bold(line.slice(0, keyColumns)) + line.slice(keyColumns);
  });
}

/** A key in the last line of a screen. */
export interface FooterKey {
  readonly text: string;
  /** Whether it does anything now. */
  readonly shown: boolean;
  /** Order in which keys are dropped without room: 1 first. */
  readonly goes: number;
}

/** As many keys as fit in a line. */
export function fittingKeys(keys: readonly FooterKey[], columns: number): string {
  let kept = keys.filter(({ shown }) => shown);
  while (kept.length > 0) {
    const line = kept.map(({ text }) => text).join('   ');
    if (textWidth(line) <= columns) return line;
    const next = Math.min(...kept.map(({ goes }) => goes));
    kept = kept.filter(({ goes }) => goes > next);
  }
  return '';
}

const NAMED = {
  'ctrl-c': 'ctrlC',
  up: 'upArrow',
  down: 'downArrow',
  pageUp: 'pageUp',
  pageDown: 'pageDown',
  enter: 'return',
  escape: 'escape',
} as const satisfies Readonly<Partial<Record<KeyName, string>>>;

/** What the keys of a screen do. */
interface KeyActions {
  readonly named: Readonly<Partial<Record<(typeof NAMED)[keyof typeof NAMED], () => void>>>;
  /** By the character that is typed. */
  readonly typed: Readonly<Record<string, () => void>>;
}

/** Runs the actions of a screen's keys. */
export function useKeys({ named, typed }: KeyActions): void {
  const bindings: KeyBinding[] = Object.entries(typed).map(([on, run]) => ({ on: [on], run }));
  for (const [on, name] of Object.entries(NAMED)) {
    const run = named[name];
    if (run !== undefined) bindings.push({ on: [on], run });
  }
  useKeyMap(() => ({ bindings }));
}
