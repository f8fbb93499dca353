import type { Key } from 'ink';
import { splitGraphemes } from '../fit.js';

/** A key that types no character. */
export type KeyName =
  | 'backspace'
  | 'delete'
  | 'down'
  | 'end'
  | 'enter'
  | 'escape'
  | 'home'
  | 'left'
  | 'pageDown'
  | 'pageUp'
  | 'right'
  | 'tab'
  | 'up'
  | `ctrl-${string}`;

/** One key of a person, or one paste. */
export type KeyPress =
  | { readonly type: 'key'; readonly name: KeyName }
  /** One character as people count them. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'paste'; readonly text: string };

/** The marks that a terminal puts around a paste, as ink delivers them: without their ESC. */
const PASTE_BEGINS = '[200~';
const PASTE_ENDS = '[201~';

const NAMES = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageUp'],
  ['pageDown', 'pageDown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  // What most terminals send for Backspace, ink calls delete.
  ['backspace', 'backspace'],
  ['delete', 'backspace'],
] as const satisfies readonly (readonly [keyof Key, KeyName])[];

/**
 * Turns ink's events into single keys. Keys that are repeated, or typed while work blocks the event loop, arrive in one
 * event. Between the marks of a paste, everything is text.
 */
export function createKeyReader(): (input: string, key: Key) => readonly KeyPress[] {
  let isPasting = false;
  return (input, key) => {
    if (input === PASTE_BEGINS || input === PASTE_ENDS) {
      isPasting = input === PASTE_BEGINS;
      return [];
    }
    if (isPasting) return [{ type: 'paste', text: key.return ? ' ' : input }];
    if (key.ctrl) return input === '' ? [] : [{ type: 'key', name: `ctrl-${input}` }];
    const named = NAMES.find(([name]) => key[name]);
    if (named !== undefined) return [{ type: 'key', name: named[1] }];
    return key.meta ? [] : (input.match(/\p{Cc}|\P{Cc}+/gu) ?? []).flatMap(pressesOf);
  };
}

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u0008': 'backspace',
  '\u007F': 'backspace',
};

function pressesOf(piece: string): readonly KeyPress[] {
  const place = piece.charCodeAt(0);
  if (place > 0x1f && (place < 0x7f || place > 0x9f)) {
    return splitGraphemes(piece).map((text) => ({ type: 'text', text }));
  }
  const named = CONTROLS[piece];
  if (named !== undefined) return [{ type: 'key', name: named }];
  // Ctrl with a letter is the letter's place in the alphabet.
  return place >= 1 && place <= 26
    ? [{ type: 'key', name: `ctrl-${String.fromCharCode(place + 0x60)}` }]
    : [];
}
