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

/** A click or a turn of the wheel; columns and rows count from 0 at the top left of the terminal. */
export interface MouseEvent {
  readonly type: 'mouse';
  readonly action: 'click' | 'wheelDown' | 'wheelUp';
  readonly column: number;
  readonly row: number;
}

/** One input of a person. */
export type InputEvent =
  | { readonly type: 'key'; readonly name: KeyName }
  /** Typed characters. Keys that are repeated, or typed while work blocks the event loop, arrive together. */
  | { readonly type: 'text'; readonly text: string }
  /** One paste: a single line without control characters. */
  | { readonly type: 'paste'; readonly text: string }
  | MouseEvent;

/** Turns what a terminal sends into events. */
export interface InputDecoder {
  /** Decodes a chunk, which can end anywhere: an unfinished sequence waits for the next one. */
  readonly push: (chunk: string) => readonly InputEvent[];
  /** Decodes what is unfinished after a pause: a lone ESC was the key, and a paste without an end mark has ended. */
  readonly flush: () => readonly InputEvent[];
  /** What is unfinished. */
  readonly pending: () => 'nothing' | 'paste' | 'sequence';
}

const ESC = '\u001B';
const CONTROL = '\\u0000-\\u001F\\u007F-\\u009F';
/** Parameters and intermediate bytes of a control sequence; the Linux console puts a bracket before them. */
const PARAMETERS = '(\\[?[0-?]*[ -/]*)';
/** Text that a terminal reports, such as a title or a colour. Any control character ends it. */
const REPORT = `${ESC}[\\]P^_X][^${CONTROL}]*`;

/** A sequence that is not finished at the end of the input. */
const UNFINISHED = atStart(
  `(?:${ESC}{1,2}(?:\\[${PARAMETERS}|\\[M[^${CONTROL}]{0,2}|O[\\d;]*)?|${REPORT}${ESC}?)$`,
);
const SEQUENCE = atStart(`(${ESC}{1,2})\\[${PARAMETERS}([@-~])`);
/** An old report of the mouse has three characters after its name. */
const OLD_MOUSE = atStart(`${ESC}\\[M[^${CONTROL}]{3}`);
const SHORT_SEQUENCE = atStart(`(${ESC}{1,2})O([\\d;]*)([A-Za-z])`);
const WHOLE_REPORT = atStart(`${REPORT}(?:\\u0007|${ESC}\\\\|(?=[${CONTROL}]))`);
/** A control sequence that is interrupted. */
const BROKEN = atStart(`${ESC}{1,2}(?:\\[${PARAMETERS}|O[\\d;]+)`);
const WITH_ALT = atStart(`${ESC}([^${ESC}\uD800-\uDFFF])`);
const TEXT = atStart(`[^${CONTROL}]+`);

function atStart(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})`, 'u');
}

/** If more is unfinished, it is not an escape sequence. */
const MOST_UNFINISHED = 4096;
/** More of a paste is dropped. */
const MOST_PASTED = 1_000_000;
const PASTE_ENDS = `${ESC}[201~`;

/** Creates the decoder of one terminal. */
export function createInputDecoder(): InputDecoder {
  let pending = '';
  /** Undefined outside of a paste. */
  let pasteSoFar: string | undefined;

  /** @returns the input after this part of the paste */
  const collectPaste = (input: string): string => {
    const end = input.indexOf(PASTE_ENDS);
    // The end mark may be cut.
    const cut = end === -1 ? Math.max(0, input.length - PASTE_ENDS.length + 1) : end;
    pasteSoFar = ((pasteSoFar ?? '') + input.slice(0, cut)).slice(0, MOST_PASTED);
    return input.slice(cut);
  };
  const endPaste = (): readonly InputEvent[] => {
    const text = pastedLine(pasteSoFar ?? '');
    pasteSoFar = undefined;
    return text === '' ? [] : [{ type: 'paste', text }];
  };
  /**
   * Decodes the first event of the input, or keeps what is unfinished.
   *
   * @returns how much of the input it has handled
   */
  const take = (input: string, events: InputEvent[]): number => {
    if (pasteSoFar !== undefined) {
      const rest = collectPaste(input);
      if (!rest.startsWith(PASTE_ENDS)) {
        pending = rest;
        return input.length;
      }
      events.push(...endPaste());
      return input.length - rest.length + PASTE_ENDS.length;
    }
    if (UNFINISHED.test(input)) {
      if (input.length <= MOST_UNFINISHED) pending = input;
      return input.length;
    }
    const { length, event } = nextEvent(input);
    if (event === 'paste') pasteSoFar = '';
    else if (event !== undefined) events.push(event);
    return length;
  };
  return {
    push: (chunk) => {
      const events: InputEvent[] = [];
      const input = pending + chunk;
      // The first half of a character that the end of the chunk has cut.
      const half = /[\uD800-\uDBFF]$/.exec(input)?.[0] ?? '';
      let rest = input.slice(0, input.length - half.length);
      pending = '';
      while (rest !== '' && pending === '') rest = rest.slice(take(rest, events));
      pending += half;
      return events;
    },
    flush: () => {
      const rest = pending;
      pending = '';
      if (pasteSoFar !== undefined) {
        pasteSoFar += rest;
        return endPaste();
      }
      if (rest === ESC) return [key('escape')];
      if (rest === ESC + ESC) return [key('escape'), key('escape')];
      const [whole, character = ''] = WITH_ALT.exec(rest) ?? [];
      return whole === rest ? [key(`alt-${character}`)] : [];
    },
    pending: () => (pasteSoFar !== undefined ? 'paste' : pending === '' ? 'nothing' : 'sequence'),
  };
}

interface Decoded {
  readonly length: number;
  /** Undefined if it is not an input of a person. */
  readonly event?: InputEvent | 'paste' | undefined;
}

/** The first event of an input that does not begin with an unfinished sequence. */
function nextEvent(input: string): Decoded {
  const text = TEXT.exec(input)?.[0];
  if (text !== undefined) {
    const typed = withoutLoneSurrogates(text);
    return typed === ''
      ? { length: text.length }
      : { length: text.length, event: { type: 'text', text: typed } };
  }
  if (input[0] !== ESC) return { length: 1, event: controlKey(input[0] ?? '', '') };
  return sequenceAt(input);
}

function sequenceAt(input: string): Decoded {
  const ignored = OLD_MOUSE.exec(input) ?? WHOLE_REPORT.exec(input);
  if (ignored !== null) return { length: ignored[0].length };
  const sequence = SEQUENCE.exec(input);
  if (sequence !== null) {
    const [whole, escapes = '', parameters = '', final = ''] = sequence;
    return { length: whole.length, event: sequenceEvent(escapes, parameters, final) };
  }
  const short = SHORT_SEQUENCE.exec(input);
  if (short !== null) {
    const [whole, escapes = '', parameters = '', final = ''] = short;
    const name = final === 'M' ? 'enter' : LETTER_KEYS[final];
    return { length: whole.length, event: modifiedKey(name, escapes, parameters) };
  }
  const broken = BROKEN.exec(input);
  if (broken !== null) return { length: broken[0].length };
  const [whole, character] = WITH_ALT.exec(input) ?? [];
  if (whole === undefined || character === undefined) return { length: 1, event: key('escape') };
  const isControl = !TEXT.test(character);
  const event = isControl ? controlKey(character, 'alt-') : key(`alt-${character}`);
  return { length: whole.length, event };
}

function key(name: KeyName): InputEvent {
  return { type: 'key', name };
}

const CONTROL_KEYS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\b': 'backspace',
  '\u007F': 'backspace',
};

function controlKey(character: string, alt: 'alt-' | ''): InputEvent | undefined {
  const controlKey = CONTROL_KEYS[character];
  if (controlKey !== undefined) return key(alt === '' ? controlKey : `alt-${controlKey}`);
  // Ctrl with a letter is the letter's place in the alphabet.
  const letter = character.charCodeAt(0);
  if (letter < 1 || letter > 26) return undefined;
  return key(`ctrl-${alt}${String.fromCharCode(letter + 0x60)}`);
}

const LETTER_KEYS: Readonly<Record<string, KeyName>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
};

const NUMBER_KEYS: Readonly<Record<string, KeyName>> = {
  1: 'home',
  3: 'delete',
  4: 'end',
  5: 'pageUp',
  6: 'pageDown',
  7: 'home',
  8: 'end',
};

function sequenceEvent(
  escapes: string,
  parameters: string,
  final: string,
): InputEvent | 'paste' | undefined {
  if (parameters.startsWith('<')) return mouseEvent(parameters.slice(1), final);
  if (final === 'Z') return key('shift-tab');
  if (final !== '~') return modifiedKey(LETTER_KEYS[final], escapes, parameters);
  const [number = ''] = parameters.split(';');
  if (number === '200') return 'paste';
  return modifiedKey(NUMBER_KEYS[number], escapes, parameters);
}

/** The second parameter is one more than the sum of the modifiers. A second ESC is Alt. */
function modifiedKey(
  name: KeyName | undefined,
  escapes: string,
  parameters: string,
): InputEvent | undefined {
  if (name === undefined || !/^[\d;]*$/u.test(parameters)) return undefined;
  const bits = Math.max(0, Number(parameters.split(';')[1] ?? 1) - 1);
  const ctrl = (bits & 4) === 0 ? '' : 'ctrl-';
  const alt = (bits & 2) === 0 && escapes.length === 1 ? '' : 'alt-';
  const shift = (bits & 1) === 0 ? '' : 'shift-';
  const modifiers = `${ctrl}${alt}${shift}`;
  return key(modifiers === '' ? name : (`${modifiers}${name}` as KeyName));
}

const MOUSE_ACTIONS: Readonly<Record<number, MouseEvent['action']>> = {
  0: 'click',
  64: 'wheelUp',
  65: 'wheelDown',
};
/** Shift, Alt and Ctrl held with the mouse. */
const MODIFIERS = 4 | 8 | 16;

/** Releases, movement and buttons other than the left one cause no event. */
function mouseEvent(parameters: string, final: string): InputEvent | undefined {
  const [, button, column, row] = /^(\d{1,4});(\d{1,5});(\d{1,5})$/u.exec(parameters) ?? [];
  if (final !== 'M' || column === undefined || row === undefined) return undefined;
  const action = MOUSE_ACTIONS[Number(button) & ~MODIFIERS];
  if (action === undefined) return undefined;
  return {
    type: 'mouse',
    action,
    column: Math.max(0, Number(column) - 1),
    row: Math.max(0, Number(row) - 1),
  };
}

const PASTED_SEQUENCE = new RegExp(
  `${ESC}\\[${PARAMETERS}[@-~]|${REPORT}(?:\\u0007|${ESC}\\\\)?`,
  'gu',
);

/** A paste as one line. What it contains for a terminal (colours of a log) is removed. */
function pastedLine(text: string): string {
  const plain = text
    .replaceAll(PASTED_SEQUENCE, '')
    .replaceAll(/\r\n?|[\n\t\v\f\u0085\u2028\u2029]/gu, ' ')
    .replaceAll(/\p{Cc}/gu, '');
  return withoutLoneSurrogates(plain);
}

function withoutLoneSurrogates(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '');
}
