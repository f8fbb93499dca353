import { splitGraphemes } from '../fit.js';
import { useInput } from '../terminal/input.js';
import type { InputEvent, KeyName } from '../terminal/input-decoder.js';
import type { ListMove } from './list-state.js';

/** A key of a screen: what it runs, and how the help and the status bar describe it. */
export interface KeyBinding {
  /** Names of keys, or characters. */
  readonly on: readonly (KeyName | string)[];
  readonly run: () => void;
  /** Its line in the help: `['↑ ↓, k j', 'choose a flow']`; none if omitted. */
  readonly help?: readonly [key: string, description: string];
  /** Its text in the status bar, and the order in which texts without room are dropped (1 first); none if omitted. */
  readonly bar?: { readonly text: string; readonly dropOrder: number };
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
    else if (event.type !== 'mouse' && !runKey(event.type === 'key' ? event.name : '', current)) {
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
    if (!runKey(character, current)) other += character;
  }
  typeOther();
}

/** @returns whether the key has a binding */
function runKey(name: string, current: () => KeyMap): boolean {
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

/** Leaves the keys that scroll the help to {@link KeyHelp} while it is open. */
export const HELP_SCROLL_KEYS: KeyBinding = {
  on: MOVES.flatMap(([on]) => on),
  run: () => undefined,
};

/** The keys that move in a list or scroll a text. @param verb `select` or `scroll`, for example */
export function moveKeys(verb: string, move: (to: ListMove) => void): readonly KeyBinding[] {
  return [
    { ...helpLine('↑ ↓, k j', verb), bar: { text: `↑↓ ${verb}`, dropOrder: 1 } },
    ...MOVES.map(([on, to]) => ({ on, run: () => move(to) })),
    helpLine('g, G', 'go to the first or last'),
  ];
}

/** A key that the status bar shows. @param text the key, and its name in a word: `r refresh` */
export function barKey(
  text: string,
  description: string,
  dropOrder: number,
  run: () => void,
): KeyBinding {
  const [key = ''] = text.split(' ');
  return { on: [key], run, help: [key, description], bar: { text, dropOrder } };
}

/** The key that ends a screen; Ctrl-C does too. */
export function quitKey(run: () => void, description = 'quit', bar = 'q quit'): KeyBinding {
  return { on: ['q'], run, help: ['q, ctrl-c', description], bar: { text: bar, dropOrder: 9 } };
}

/** A line of the help about keys that have no binding of their own. */
export function helpLine(key: string, description: string): KeyBinding {
  return { on: [], run: () => undefined, help: [key, description] };
}

/**
 * The keys of a screen, and `?` for the help that lists them. While it is open, the keys that move scroll it, and any
 * other key closes it before it runs.
 */
export function withHelp(
  bindings: readonly KeyBinding[],
  isHelpOpen: boolean,
  setHelp: (isOpen: boolean) => void,
): readonly KeyBinding[] {
  const help: KeyBinding = {
    on: ['?'],
    run: () => setHelp(!isHelpOpen),
    help: ['?, esc', 'show or close this help'],
    bar: { text: '? help', dropOrder: 8 },
  };
  if (!isHelpOpen) return [...bindings, help];
  const close = (): void => setHelp(false);
  const closing = bindings.map((binding): KeyBinding => {
    const run = (): void => {
      close();
      binding.run();
    };
    return { ...binding, run };
  });
  // The first binding of a key counts.
  return [{ on: ['escape'], run: close }, HELP_SCROLL_KEYS, ...closing, help];
}
