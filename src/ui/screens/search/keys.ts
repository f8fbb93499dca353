import { type KeyBinding, type KeyMap, SCROLLS_HELP } from '../../components/key-map.js';
import { type ListMove, listView } from '../../components/list-state.js';
import { editOf } from '../../components/text-input.js';
import { type SearchEvent, type SearchState, selectedItem } from './state.js';

/** What the person wants: a change of the state, or what the controller does. */
export type SearchIntent =
  | Extract<
      SearchEvent,
      { type: 'edited' | 'explained' | 'focused' | 'help' | 'list' | 'matched' | 'scrolled' }
    >
  | { readonly type: 'recall'; readonly by: -1 | 1 }
  | { readonly type: 'copy'; readonly what: 'citation' | 'passage' | 'path' }
  | { readonly type: 'folder' | 'leave' | 'open' };

type Listed = Pick<KeyBinding, 'bar' | 'help'>;

/** What the keys do in a state. While typing, letters are text; in the list they are keys. */
export function searchKeys(state: SearchState, dispatch: (intent: SearchIntent) => void): KeyMap {
  const on = (keys: readonly string[], intent: SearchIntent, listed: Listed = {}): KeyBinding => ({
    on: keys,
    run: () => dispatch(intent),
    ...listed,
  });
  const isTyping = state.focus === 'input';
  const hasResult = selectedItem(state) !== undefined;
  const leave = on(['ctrl-c'], { type: 'leave' });
  const help = on(
    ['?'],
    { type: 'help', on: !state.isHelp },
    {
      help: ['?', 'show or close this help; while typing, in an empty input'],
      bar: { text: '? keys', goes: 8 },
    },
  );
  const back = on(['escape'], escapeIntent(state), {
    help: ['esc', 'back; quits from the input'],
    bar: { text: isTyping ? 'esc quit' : 'esc back', goes: 9 },
  });
  const scrolls = state.isHelp ? [SCROLLS_HELP] : [];
  const shared = [
    leave,
    back,
    ...scrolls,
    ...moveKeys(state, hasResult, on),
    ...resultKeys(hasResult, isTyping, on),
  ];
  if (!isTyping) {
    const more = on(['q'], { type: 'leave' }, { help: ['q, ctrl-c', 'quit (q in the list)'] });
    return {
      bindings: [...shared, ...listKeys(on), help, more],
      onOther: typeInto(dispatch, false),
    };
  }
  const isEmpty = state.input.text === '';
  const listed =
    hasResult || state.isHelp ? listKeys(on).map(({ bar: _, ...key }) => ({ ...key, on: [] })) : [];
  return {
    bindings: [...shared, ...listed, ...(isEmpty || state.isHelp ? [help] : [])],
    onOther: typeInto(dispatch, true),
  };
}

function moveTo(to: ListMove): SearchIntent {
  return { type: 'list', event: { type: 'moved', to } };
}

type On = (keys: readonly string[], intent: SearchIntent, listed?: Listed) => KeyBinding;

/** Letters without a meaning in the list do nothing there; a paste and what edits a line go on with typing. */
function typeInto(
  dispatch: (intent: SearchIntent) => void,
  takesLetters: boolean,
): NonNullable<KeyMap['onOther']> {
  return (input) => {
    const edit = takesLetters || input.type !== 'text' ? editOf(input) : undefined;
    if (edit !== undefined) dispatch({ type: 'edited', edit });
  };
}

/** Esc goes back one step; from the input there is nothing to go back to. */
function escapeIntent(state: SearchState): SearchIntent {
  if (state.isHelp) return { type: 'help', on: false };
  return state.focus === 'list' ? { type: 'focused', focus: 'input' } : { type: 'leave' };
}

function moveKeys(state: SearchState, hasResult: boolean, on: On): readonly KeyBinding[] {
  // In an empty input, and as long as what it has is from the history.
  const recalls =
    (state.input.text === '' || state.recalled !== undefined) && listView(state.list).at <= 0;
  const up: SearchIntent = recalls ? { type: 'recall', by: 1 } : moveTo('up');
  const isTyping = state.focus === 'input';
  return [
    on(['up'], isTyping ? up : moveTo('up'), {
      help: ['↑ ↓, pgup pgdn', 'select a result'],
      ...(hasResult ? { bar: { text: '↑↓ select', goes: 3 } } : {}),
    }),
    on(['down'], moveTo('down')),
    on(['pageUp'], moveTo('pageUp')),
    on(['pageDown'], moveTo('pageDown')),
    on(
      ['ctrl-p'],
      { type: 'recall', by: 1 },
      {
        help: ['↑, ctrl-p ctrl-n', 'earlier queries: ↑ in an empty input'],
        ...(recalls && isTyping && state.input.text === ''
          ? { bar: { text: '↑ history', goes: 4 } }
          : {}),
      },
    ),
    on(['ctrl-n'], { type: 'recall', by: -1 }),
    on(
      ['shift-up'],
      { type: 'scrolled', by: -1 },
      { help: ['shift-↑ ↓, wheel', 'scroll the passage; J K in the list'] },
    ),
    on(['shift-down'], { type: 'scrolled', by: 1 }),
  ];
}

function resultKeys(hasResult: boolean, isTyping: boolean, on: On): readonly KeyBinding[] {
  const shown = (bar: KeyBinding['bar']): Listed => (hasResult && bar !== undefined ? { bar } : {});
  return [
    on(
      ['enter'],
      { type: 'open' },
      { help: ['⏎', 'open the passage in your editor'], ...shown({ text: '⏎ open', goes: 7 }) },
    ),
    on(
      ['tab'],
      { type: 'focused', focus: isTyping ? 'list' : 'input' },
      {
        help: ['tab', 'to the list, where letters are keys, and back; / as well'],
        ...shown({ text: isTyping ? 'tab list' : '/ type', goes: 6 }),
      },
    ),
    on(
      ['ctrl-y'],
      { type: 'copy', what: 'citation' },
      { help: ['ctrl-y', 'copy the citation'], ...shown({ text: 'ctrl-y copy', goes: 5 }) },
    ),
    on(
      ['ctrl-e'],
      { type: 'explained' },
      { help: ['ctrl-e', 'explain the score'], ...shown({ text: 'ctrl-e score', goes: 2 }) },
    ),
  ];
}

function listKeys(on: On): readonly KeyBinding[] {
  return [
    on(['j'], moveTo('down')),
    on(['k'], moveTo('up')),
    on(['g', 'home'], moveTo('first'), {
      help: ['j k g G', 'down, up, first, last (in the list)'],
    }),
    on(['G', 'end'], moveTo('last')),
    on(['J'], { type: 'scrolled', by: 1 }),
    on(['K'], { type: 'scrolled', by: -1 }),
    on(
      ['n'],
      { type: 'matched', by: 1 },
      {
        help: ['n N', 'next and previous match in the passage (in the list)'],
        bar: { text: 'n match', goes: 1 },
      },
    ),
    on(['N'], { type: 'matched', by: -1 }),
    on(
      ['y'],
      { type: 'copy', what: 'citation' },
      { help: ['y Y p', 'copy the citation, passage, path (in the list)'] },
    ),
    on(['Y'], { type: 'copy', what: 'passage' }),
    on(['p'], { type: 'copy', what: 'path' }),
    on(['o'], { type: 'folder' }, { help: ['o', 'open the folder (in the list)'] }),
    on(['/'], { type: 'focused', focus: 'input' }),
  ];
}
