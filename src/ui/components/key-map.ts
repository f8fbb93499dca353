import { useInput } from 'ink';
import { useState } from 'react';
import { createKeyReader, type KeyName, type KeyPress } from './key-press.js';

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

/** What the keys of a screen do at a moment. */
export interface KeyMap {
  readonly bindings: readonly KeyBinding[];
  /** Receives all keys without a binding, while text is typed. */
  readonly onOther?: (press: KeyPress) => void;
}

/**
 * Runs the keys of a screen.
 *
 * @param current called before each key: several can arrive before the next frame, and each may change what the next
 *   one does
 */
export function useKeyMap(current: () => KeyMap): void {
  const [readKeys] = useState(createKeyReader);
  useInput((input, key) => {
    for (const press of readKeys(input, key)) {
      const { bindings, onOther } = current();
      const name =
        press.type === 'key' ? press.name : press.type === 'text' ? press.text : undefined;
      const binding = name === undefined ? undefined : bindings.find(({ on }) => on.includes(name));
      if (binding !== undefined) binding.run();
      else onOther?.(press);
    }
  });
}
