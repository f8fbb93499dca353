import { splitGraphemes } from '../fit.js';
import { useInput } from '../terminal/input.js';
import type { InputEvent, KeyName } from '../terminal/input-decoder.js';
import type { ListMove } from './list-state.js';

/** A key of a screen: what it does, and how it is listed. */
export interface KeyBinding {
  /** Names of keys, or characters. */
  readonly on: readonly (KeyName | string)[];
  readonly run: () => void;
  /** In the list of keys: `['↑ ↓, k j', 'choose a flow']`; left out of it if undefined. */
  readonly help?: readonly [key: string, does: string];
  /** In the status bar: its words, and the order in which it is dropped without room (1 first). */
  readonly bar?: { readonly text: string; readonly goes: number };
}

/** Input that has no binding. Characters that were typed together are one text. */
export type OtherInput = Exclude<InputEvent, { readonly type: 'mouse' }>;

/** What the keys of a screen do at a moment. */
export interface KeyMap {
  readonly bindings: readonly KeyBinding[];
  /** Receives everything without a binding, while text is typed. */
  readonly onOther?: (input: OtherInput) => void;
}

/**
 * Runs the keys of a screen.
 *
 * @param current called before each key: several can arrive before the next frame, and each may change what the next
 *   one does
 */
export function useKeyMap(current: () => KeyMap): void {
  useInput((event) => {
    if (event.type === 'text') runTyped(event.text, current);
    else if (event.type !== 'mouse' && !run(event.type === 'key' ? event.name : '', current)) {
      current().onOther?.(event);
    }
  });
}

function runTyped(text: string, current: () => KeyMap): void {
  let other = '';
  const typeOther = (): void => {
    if (other !== '') current().onOther?.({ type: 'text', text: other });
    other = '';
  };
  for (const character of splitGraphemes(text)) {
    // What is typed before may change what this one does.
    if (other !== '' && bindingOf(character, current) !== undefined) typeOther();
    if (!run(character, current)) other += character;
  }
  typeOther();
}

function run(name: string, current: () => KeyMap): boolean {
  const binding = bindingOf(name, current);
  binding?.run();
  return binding !== undefined;
}

function bindingOf(name: string, current: () => KeyMap): KeyBinding | undefined {
  return current().bindings.find(({ on }) => on.includes(name));
}

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

/** The keys that move in a list or scroll a text. @param does in a word: `select`, `scroll` */
export function moveKeys(does: string, move: (to: ListMove) => void): readonly KeyBinding[] {
  const keys: readonly KeyBinding[] = MOVES.map(([on, to]) => ({ on, run: () => move(to) }));
  const [first, ...rest] = keys;
  if (first === undefined) return keys;
  const shown: KeyBinding = {
    ...first,
    help: ['↑ ↓, k j', does],
    bar: { text: `↑↓ ${does}`, goes: 1 },
  };
  return [shown, ...rest, helpLine('g, G', 'go to the first or last')];
}

/** A key that the status bar and the help list: `r refresh`. @param goes see {@link KeyBinding.bar} */
export function listedKey(
  key: string,
  name: string,
  does: string,
  goes: number,
  run: () => void,
): KeyBinding {
  return { on: [key], run, help: [key, does], bar: { text: `${key} ${name}`, goes } };
}

/** The key that ends a screen; Ctrl-C does too. */
export function quitKey(run: () => void, does = 'quit', bar = 'q quit'): KeyBinding {
  return { on: ['q'], run, help: ['q, ctrl-c', does], bar: { text: bar, goes: 9 } };
}

/** A line of the help about keys that work without a binding of the screen. */
export function helpLine(key: string, does: string): KeyBinding {
  return { on: [], run: () => undefined, help: [key, does] };
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
    const run = (): void => {
      close();
      binding.run();
    };
    return { ...binding, run };
  });
  // The first binding of a key counts.
  return [{ on: ['escape'], run: close }, SCROLLS_HELP, ...closing, help];
}
