type Modifier = 'alt' | 'ctrl' | 'shift';

type PlainKey =
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
  | 'up';

/**
 * A key that types no character. Modifiers precede its name in the order ctrl, alt, shift: `ctrl-left`, `alt-b`,
 * `shift-tab`. Ctrl with a letter that is a key of its own has that key's name (`ctrl-i` is `tab`).
 */
export type KeyName = PlainKey | `${Modifier}-${string}`;

/** What was done with the mouse; columns and rows count from 0 at the top left of the terminal. */
export interface MouseEvent {
  readonly type: 'mouse';
  readonly action: 'click' | 'wheelDown' | 'wheelUp';
  readonly column: number;
  readonly row: number;
}

/** What a person did at the terminal. */
export type InputEvent =
  | { readonly type: 'key'; readonly name: KeyName }
  /** Typed characters. Keys that are repeated, or typed while work blocks the event loop, arrive together. */
  | { readonly type: 'text'; readonly text: string }
  /** One paste: a single line without control characters. */
  | { readonly type: 'paste'; readonly text: string }
  | MouseEvent;
