import { type Key, useInput } from 'ink';
import { fitEnd, padEnd, textWidth } from '../fit.js';
import type { Style } from '../style.js';

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

const NAMED = ['upArrow', 'downArrow', 'pageUp', 'pageDown', 'return', 'escape'] as const;

/** A key that types no character, by ink's name. */
type NamedKey = (typeof NAMED)[number] | 'ctrlC';

/** What the keys of a screen do. */
interface KeyActions {
  readonly named: Readonly<Partial<Record<NamedKey, () => void>>>;
  /** By the character that is typed. */
  readonly typed: Readonly<Record<string, () => void>>;
}

const CTRL_C = '\u0003';

/** Runs the actions of a screen's keys. */
export function useKeys({ named, typed }: KeyActions): void {
  useInput((input, key) => {
    const name = nameOf(input, key);
    const action = name && named[name];
    if (action !== undefined) action();
    else if (!key.ctrl && !key.meta) {
      // Keys typed while work blocks the event loop arrive together.
      for (const character of input) (character === CTRL_C ? named.ctrlC : typed[character])?.();
    }
  });
}

function nameOf(input: string, key: Key): NamedKey | undefined {
  return key.ctrl && input === 'c' ? 'ctrlC' : NAMED.find((name) => key[name]);
}

const ESC = '\u001B';

/** A control sequence with its parameters; one Esc or Alt may precede it. */
const SEQUENCE = new RegExp(`(?<!${ESC})${ESC}+\\[\\[?[0-?]*[ -/]*[@-~]`, 'gu');
const UNFINISHED = new RegExp(`(?<!${ESC})${ESC}+\\[\\[?[0-?]*[ -/]*$`, 'u');
/** Arrows, Home, End, Shift-Tab, Page up and similar with any modifiers, and the marks of a paste. */
const KEY = new RegExp(
  `^${ESC}{1,2}\\[(?:(?:1;)?[1-8]?[A-FHZ]|[1-8](?:;[1-8])?~|\\[[56]~|20[01]~)$`,
  'u',
);
const MOST_HELD = 16;

/**
 * Removes sequences that are not keys (colours in pasted text, terminal reports), since ink fails on some of them. A
 * chunk may end in the middle of a sequence.
 */
export function createKeyFilter(): (chunk: string) => string {
  let held = '';
  let afterEscape = false;
  return (chunk) => {
    const lead = afterEscape ? ESC : '';
    const text = lead + held + chunk;
    const end = UNFINISHED.exec(text)?.index ?? text.length;
    const rest = text.slice(end);
    const keys = text.slice(0, end).replaceAll(SEQUENCE, (found) => (KEY.test(found) ? found : ''));
    const isLeadKept = afterEscape && keys.startsWith(ESC);
    held = rest.length > MOST_HELD ? '' : rest;
    afterEscape = keys.endsWith(ESC);
    return isLeadKept ? keys.slice(1) : keys;
  };
}
