import type { Key } from 'ink';
import type { LineEdit } from '../../components/line-editor.js';
import { splitGraphemes } from '../../fit.js';
import type { SearchScreenModel } from './state.js';

/** What the person wants; the controller does it. */
export type SearchIntent =
  | { readonly type: 'edit'; readonly edit: LineEdit }
  | { readonly type: 'move'; readonly by: number }
  | { readonly type: 'focus'; readonly focus: 'input' | 'list' }
  | { readonly type: 'help'; readonly shown: boolean }
  | { readonly type: 'copy' | 'leave' | 'open' };

/** What a terminal puts around a paste, as ink hands it on: without its ESC. */
const PASTE_BEGINS = '[200~';
const PASTE_ENDS = '[201~';

/**
 * Turns ink's key events into intents. Has a memory of its own only for pastes, during which line
 * breaks and letters are text and nothing else.
 *
 * The intents are for doing one by one: what a key means depends on what the key before it did.
 *
 * @param current gives the model as it is at the moment
 */
export function createKeyReader(): (
  input: string,
  key: Key,
  current: () => SearchScreenModel,
  page: number,
) => Iterable<SearchIntent> {
  let pasting = false;
  return (input, key, current, page) => {
    if (input === PASTE_BEGINS || input === PASTE_ENDS) {
      pasting = input === PASTE_BEGINS;
      return [];
    }
    if (pasting) return insert(key.return ? ' ' : input);
    const intent = controlIntent(input, key, current(), page);
    if (intent !== undefined) return [intent];
    if (key.ctrl || key.meta || key.tab || key.escape || key.return || input === '') return [];
    return chunkIntents(input, current);
  };
}

/**
 * Keys typed faster than they are read, repeated or sent over a slow line arrive in one chunk, which ink
 * hands on whole. Pastes are marked, so that a line break in here is the Enter key.
 */
function* chunkIntents(chunk: string, current: () => SearchScreenModel): Iterable<SearchIntent> {
  for (const piece of chunk.match(/\p{Cc}|\P{Cc}+/gu) ?? []) {
    yield* /^\p{Cc}/u.test(piece) ? controlCharacter(piece) : letters(piece, current);
  }
}

function* letters(text: string, current: () => SearchScreenModel): Iterable<SearchIntent> {
  let at = 0;
  for (const character of splitGraphemes(text)) {
    const model = current();
    if (model.focus === 'input' && model.input.text !== '') {
      yield* insert(text.slice(at));
      return;
    }
    yield* typed(character, model);
    at += character.length;
  }
}

function controlCharacter(character: string): readonly SearchIntent[] {
  if (character === '\r') return [{ type: 'open' }];
  if (character === '\t') return [{ type: 'focus', focus: 'list' }];
  if (character === '\u0003') return [{ type: 'leave' }];
  // Ctrl with a letter is the letter's place in the alphabet; Backspace is DEL.
  const place = character.charCodeAt(0);
  const edit = CONTROL_EDITS[place === 0x7f ? 'h' : String.fromCharCode(place + 0x60)];
  return edit === undefined ? [] : [{ type: 'edit', edit }];
}

function controlIntent(
  input: string,
  key: Key,
  model: SearchScreenModel,
  page: number,
): SearchIntent | undefined {
  if (key.ctrl && input === 'c') return { type: 'leave' };
  if (key.escape) return escapeIntent(model);
  if (key.ctrl && input === 'y') return { type: 'copy' };
  if (key.return) return { type: 'open' };
  if (key.tab) return { type: 'focus', focus: model.focus === 'input' ? 'list' : 'input' };
  return moveIntent(key, model, page) ?? editIntent(input, key);
}

/** Esc goes back one step; from the input there is nothing to go back to. */
function escapeIntent(model: SearchScreenModel): SearchIntent {
  if (model.help) return { type: 'help', shown: false };
  return model.focus === 'list' ? { type: 'focus', focus: 'input' } : { type: 'leave' };
}

function moveIntent(key: Key, model: SearchScreenModel, page: number): SearchIntent | undefined {
  if (key.upArrow && model.selected === 0) return { type: 'focus', focus: 'input' };
  if (key.upArrow) return { type: 'move', by: -1 };
  if (key.downArrow) return { type: 'move', by: 1 };
  if (key.pageUp) return { type: 'move', by: -page };
  if (key.pageDown) return { type: 'move', by: page };
  if (model.focus !== 'list') return undefined;
  if (key.home) return { type: 'move', by: Number.NEGATIVE_INFINITY };
  return key.end ? { type: 'move', by: Number.POSITIVE_INFINITY } : undefined;
}

const CONTROL_EDITS: Readonly<Record<string, LineEdit>> = {
  a: { type: 'home' },
  b: { type: 'left' },
  e: { type: 'end' },
  f: { type: 'right' },
  h: { type: 'erase' },
  k: { type: 'eraseToEnd' },
  u: { type: 'eraseToStart' },
  w: { type: 'eraseWord' },
};

function editIntent(input: string, key: Key): SearchIntent | undefined {
  const edit = editOf(input, key);
  return edit === undefined ? undefined : { type: 'edit', edit };
}

function editOf(input: string, key: Key): LineEdit | undefined {
  if (key.ctrl) return CONTROL_EDITS[input];
  if (key.leftArrow) return { type: 'left' };
  if (key.rightArrow) return { type: 'right' };
  if (key.home) return { type: 'home' };
  if (key.end) return { type: 'end' };
  // What most terminals send for Backspace, ink calls delete.
  if (key.backspace || key.delete) return { type: key.meta ? 'eraseWord' : 'erase' };
  return undefined;
}

/** Letters act on the list when it has the focus; what is no command there goes on typing. */
function typed(input: string, model: SearchScreenModel): readonly SearchIntent[] {
  if (input === '?' && (model.focus === 'list' || model.input.text === '')) {
    return [{ type: 'help', shown: !model.help }];
  }
  if (model.focus === 'input') return insert(input);
  if (input === 'y') return [{ type: 'copy' }];
  if (input === 'q') return [{ type: 'leave' }];
  if (input === '/') return [{ type: 'focus', focus: 'input' }];
  if (input === 'j') return [{ type: 'move', by: 1 }];
  if (input === 'k') return [{ type: 'move', by: -1 }];
  return insert(input);
}

function insert(text: string): readonly SearchIntent[] {
  return text === '' ? [] : [{ type: 'edit', edit: { type: 'insert', text } }];
}
