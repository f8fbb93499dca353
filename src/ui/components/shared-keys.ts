import type { KeyBinding } from './key-map.js';
import type { ListMove } from './list-state.js';

const MOVES = [
  [['up', 'k'], 'up'],
  [['down', 'j'], 'down'],
  [['pageUp', 'ctrl-b'], 'pageUp'],
  [['pageDown', 'ctrl-f', ' '], 'pageDown'],
  [['home', 'g'], 'first'],
  [['end', 'G'], 'last'],
] as const;

/** Leaves these keys to the list of keys while it is shown; see KeyHelp. */
export const SCROLLS_HELP: KeyBinding = { on: MOVES.flatMap(([on]) => on), run: () => undefined };

/** The keys that move in a list or scroll a text. @param what in a word: `select`, `scroll` */
export function moveKeys(what: string, move: (to: ListMove) => void): readonly KeyBinding[] {
  const keys: readonly KeyBinding[] = MOVES.map(([on, to]) => ({ on, run: () => move(to) }));
  const [first, ...rest] = keys;
  if (first === undefined) return keys;
  const shown: KeyBinding = {
    ...first,
    help: ['↑ ↓, k j', what],
    bar: { text: `↑↓ ${what}`, goes: 1 },
  };
  const ends: KeyBinding = {
    on: [],
    run: () => undefined,
    help: ['g, G', 'go to the first or last'],
  };
  return [shown, ...rest, ends];
}

/**
 * The keys of a screen, with `?` for their list. While it is shown, the keys that move scroll it, and each other key closes
 * it before it does what it does; Esc does nothing else.
 */
export function withHelp(
  bindings: readonly KeyBinding[],
  isHelp: boolean,
  setHelp: (on: boolean) => void,
): readonly KeyBinding[] {
  const help: KeyBinding = {
    on: ['?'],
    run: () => setHelp(!isHelp),
    help: ['?, esc', 'show or close this help'],
    bar: { text: '? help', goes: 8 },
  };
  if (!isHelp) return [...bindings, help];
  const close = (): void => setHelp(false);
  const closing = bindings.map((binding): KeyBinding => {
    return {
      ...binding,
      run: () => {
        close();
        binding.run();
      },
    };
  });
  // The first binding of a key counts.
  return [{ on: ['escape'], run: close }, SCROLLS_HELP, ...closing, help];
}
