import type { KeyBinding, KeyMap, OtherInput } from '../../components/key-map.js';
import type { LineEdit } from '../../components/line-editor.js';
import { editOf } from '../../components/text-input.js';
import type { SearchScreenModel } from './state.js';

/** What the person wants; the controller does it. */
export type SearchIntent =
  | { readonly type: 'edit'; readonly edit: LineEdit }
  | { readonly type: 'move'; readonly by: number }
  | { readonly type: 'focus'; readonly focus: 'input' | 'list' }
  | { readonly type: 'help'; readonly shown: boolean }
  | { readonly type: 'copy' | 'leave' | 'open' };

/**
 * What the keys do in a state. Letters act on the list when it has the focus; a letter without a meaning there is typed.
 *
 * @param page rows of the list
 */
export function searchKeys(
  model: SearchScreenModel,
  page: number,
  dispatch: (intent: SearchIntent) => void,
): KeyMap {
  const on = (keys: readonly string[], intent: SearchIntent): KeyBinding => ({
    on: keys,
    run: () => dispatch(intent),
  });
  const isTyping = model.focus === 'input';
  const up: SearchIntent =
    model.selected === 0 ? { type: 'focus', focus: 'input' } : { type: 'move', by: -1 };
  const help = on(['?'], { type: 'help', shown: !model.help });
  const bindings = [
    on(['ctrl-c'], { type: 'leave' }),
    on(['escape'], escapeIntent(model)),
    on(['ctrl-y'], { type: 'copy' }),
    on(['enter'], { type: 'open' }),
    on(['tab'], { type: 'focus', focus: isTyping ? 'list' : 'input' }),
    on(['up'], up),
    on(['down'], { type: 'move', by: 1 }),
    on(['pageUp'], { type: 'move', by: -page }),
    on(['pageDown'], { type: 'move', by: page }),
    ...(isTyping && model.input.text !== '' ? [] : [help]),
    ...(isTyping
      ? []
      : [
          on(['home'], { type: 'move', by: Number.NEGATIVE_INFINITY }),
          on(['end'], { type: 'move', by: Number.POSITIVE_INFINITY }),
          on(['y'], { type: 'copy' }),
          on(['q'], { type: 'leave' }),
          on(['/'], { type: 'focus', focus: 'input' }),
          on(['j'], { type: 'move', by: 1 }),
          on(['k'], { type: 'move', by: -1 }),
        ]),
  ];
  const onOther = (input: OtherInput): void => {
    const edit = editOf(input);
    if (edit !== undefined) dispatch({ type: 'edit', edit });
  };
  return { bindings, onOther };
}

/** Esc goes back one step; from the input there is nothing to go back to. */
function escapeIntent(model: SearchScreenModel): SearchIntent {
  if (model.help) return { type: 'help', shown: false };
  return model.focus === 'list' ? { type: 'focus', focus: 'input' } : { type: 'leave' };
}
