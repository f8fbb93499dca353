import { HELP_SCROLL_KEYS, type KeyBinding, type KeyMap } from '../../components/key-map.js';
import { type ListMove, listView } from '../../components/list-state.js';
import { editOf } from '../../components/text-input.js';
import { type SearchEvent, type SearchState, selectedItem } from './state.js';

/** What a key asks for: a change of the state, or something that the controller does. */
export type SearchIntent =
  | Extract<
      SearchEvent,
      { type: 'edited' | 'explained' | 'focused' | 'help' | 'list' | 'jumped' | 'scrolled' }
    >
  | { readonly type: 'recall'; readonly by: -1 | 1 }
  | { readonly type: 'copy'; readonly what: 'citation' | 'passage' | 'path' }
  | { readonly type: 'folder' | 'leave' | 'open' };

/** Creates the binding of keys that all ask for the same. */
type Bind = (
  on: KeyBinding['on'],
  intent: SearchIntent,
  help?: KeyBinding['help'],
  bar?: KeyBinding['bar'],
) => KeyBinding;

/** What the keys do in a state. While typing, letters are text; in the list they are keys. */
export function searchKeys(state: SearchState, dispatch: (intent: SearchIntent) => void): KeyMap {
  const bind: Bind = (on, intent, help, bar) => {
    return { on, run: () => dispatch(intent), ...(help && { help }), ...(bar && { bar }) };
  };
  const isTyping = state.focus === 'input';
  const help = bind(
    ['?'],
    { type: 'help', on: !state.isHelpOpen },
    ['?', 'show or close this help; while typing, in an empty input'],
    { text: '? keys', dropOrder: 8 },
  );
  const shared = [
    bind(['ctrl-c'], { type: 'leave' }),
    bind(['escape'], escapeIntent(state), ['esc', 'back; quits from the input'], {
      text: isTyping ? 'esc quit' : 'esc back',
      dropOrder: 9,
    }),
    ...(state.isHelpOpen ? [HELP_SCROLL_KEYS] : []),
    ...selectKeys(state, bind),
    ...resultKeys(state, bind),
  ];
  if (!isTyping) {
    const quit = bind(['q'], { type: 'leave' }, ['q, ctrl-c', 'quit (q in the list)']);
    return {
      bindings: [...shared, ...listKeys(bind), help, quit],
      onOther: typeInto(dispatch, false),
    };
  }
  const isEmpty = state.input.text === '';
  // The help describes them although they are typed as text here.
  const helpOfList = state.isHelpOpen
    ? listKeys(bind).map(({ bar: _, ...binding }) => ({ ...binding, on: [] }))
    : [];
  return {
    bindings: [...shared, ...helpOfList, ...(isEmpty || state.isHelpOpen ? [help] : [])],
    onOther: typeInto(dispatch, true),
  };
}

function moveTo(to: ListMove): SearchIntent {
  return { type: 'list', event: { type: 'moved', to } };
}

/** Letters without a binding do nothing in the list; a paste, and keys that edit the line, return to typing. */
function typeInto(
  dispatch: (intent: SearchIntent) => void,
  acceptsLetters: boolean,
): NonNullable<KeyMap['onOther']> {
  return (input) => {
    const edit = acceptsLetters || input.type !== 'text' ? editOf(input) : undefined;
    if (edit !== undefined) dispatch({ type: 'edited', edit });
  };
}

/** Esc goes back one step; from the input there is nothing to go back to. */
function escapeIntent(state: SearchState): SearchIntent {
  if (state.isHelpOpen) return { type: 'help', on: false };
  return state.focus === 'list' ? { type: 'focused', focus: 'input' } : { type: 'leave' };
}

/** The keys that select a result, recall a query or scroll the passage. */
function selectKeys(state: SearchState, bind: Bind): readonly KeyBinding[] {
  const isTyping = state.focus === 'input';
  const isEmpty = state.input.text === '';
  // In an empty input, and while it has a query from the history.
  const recalls =
    isTyping && (isEmpty || state.historyAt !== undefined) && listView(state.list).at <= 0;
  const select = selectedItem(state) && { text: '↑↓ select', dropOrder: 3 };
  const history = recalls && isEmpty ? { text: '↑ history', dropOrder: 4 } : undefined;
  const recall: SearchIntent = { type: 'recall', by: 1 };
  return [
    bind(['up'], recalls ? recall : moveTo('up'), ['↑ ↓, pgup pgdn', 'select a result'], select),
    bind(['down'], moveTo('down')),
    bind(['pageUp'], moveTo('pageUp')),
    bind(['pageDown'], moveTo('pageDown')),
    bind(['ctrl-p'], recall, ['↑, ctrl-p ctrl-n', 'earlier queries: ↑ in an empty input'], history),
    bind(['ctrl-n'], { type: 'recall', by: -1 }),
    bind(['shift-up'], { type: 'scrolled', by: -1 }, [
      'shift-↑ ↓, wheel',
      'scroll the passage; J K in the list',
    ]),
    bind(['shift-down'], { type: 'scrolled', by: 1 }),
  ];
}

function resultKeys(state: SearchState, bind: Bind): readonly KeyBinding[] {
  const isTyping = state.focus === 'input';
  const hasResult = selectedItem(state) !== undefined;
  const inBar = (text: string, dropOrder: number): KeyBinding['bar'] =>
    hasResult ? { text, dropOrder } : undefined;
  return [
    bind(['enter'], { type: 'open' }, ['⏎', 'open the passage in your editor'], inBar('⏎ open', 7)),
    bind(
      ['tab'],
      { type: 'focused', focus: isTyping ? 'list' : 'input' },
      ['tab', 'to the list, where letters are keys, and back; / as well'],
      inBar(isTyping ? 'tab list' : '/ type', 6),
    ),
    bind(
      ['ctrl-y'],
      { type: 'copy', what: 'citation' },
      ['ctrl-y', 'copy the citation'],
      inBar('ctrl-y copy', 5),
    ),
    bind(
      ['ctrl-e'],
      { type: 'explained' },
      ['ctrl-e', 'explain the score'],
      inBar('ctrl-e score', 2),
    ),
  ];
}

/** Letters that are keys while the list has the focus. */
function listKeys(bind: Bind): readonly KeyBinding[] {
  return [
    bind(['j'], moveTo('down')),
    bind(['k'], moveTo('up')),
    bind(['g', 'home'], moveTo('first'), ['j k g G', 'down, up, first, last (in the list)']),
    bind(['G', 'end'], moveTo('last')),
    bind(['J'], { type: 'scrolled', by: 1 }),
    bind(['K'], { type: 'scrolled', by: -1 }),
    bind(
      ['n'],
      { type: 'jumped', by: 1 },
      ['n N', 'next and previous match in the passage (in the list)'],
      { text: 'n match', dropOrder: 1 },
    ),
    bind(['N'], { type: 'jumped', by: -1 }),
    bind(['y'], { type: 'copy', what: 'citation' }, [
      'y Y p',
      'copy the citation, passage, path (in the list)',
    ]),
    bind(['Y'], { type: 'copy', what: 'passage' }),
    bind(['p'], { type: 'copy', what: 'path' }),
    bind(['o'], { type: 'folder' }, ['o', 'open the folder (in the list)']),
    bind(['/'], { type: 'focused', focus: 'input' }),
  ];
}
