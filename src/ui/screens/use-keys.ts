import { type Key, useInput } from 'ink';

const NAMED = ['upArrow', 'downArrow', 'pageUp', 'pageDown', 'return', 'escape'] as const;

/** A key that types no character, by ink's name for it. */
export type NamedKey = (typeof NAMED)[number] | 'ctrlC';

/** What the keys of a screen do. */
export interface KeyActions {
  readonly named: Readonly<Partial<Record<NamedKey, () => void>>>;
  /** By the character that is typed. */
  readonly typed: Readonly<Record<string, () => void>>;
}

/** Ctrl-C as a terminal sends it. */
const CTRL_C = '\u0003';

/** Does what a screen's keys are for; other keys do nothing. */
export function useKeys({ named, typed }: KeyActions): void {
  useInput((input, key) => {
    const name = nameOf(input, key);
    const action = name && named[name];
    if (action !== undefined) action();
    else if (!key.ctrl && !key.meta) {
      // Keys typed faster than they are read arrive together: work may hold up the event loop.
      for (const character of input) (character === CTRL_C ? named.ctrlC : typed[character])?.();
    }
  });
}

function nameOf(input: string, key: Key): NamedKey | undefined {
  return key.ctrl && input === 'c' ? 'ctrlC' : NAMED.find((name) => key[name]);
}
