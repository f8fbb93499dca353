import { splitGraphemes } from '../fit.js';
import { useInput } from '../terminal/input.js';
import type { InputEvent, KeyName } from '../terminal/input-events.js';

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
