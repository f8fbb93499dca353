import { useCursor, useInput } from 'ink';
import { type ReactElement, useState, useSyncExternalStore } from 'react';
import type { Style } from '../../style.js';
import { Lines } from '../lines.js';
import type { Store } from '../store.js';
import { useTerminalSize } from '../terminal-size.js';
import { searchFrame } from './frame.js';
import { createKeyReader, type SearchIntent } from './keys.js';
import { layoutSearch } from './layout.js';
import type { SearchScreenEvent, SearchScreenModel } from './state.js';

/** What the search screen is given: state to show, and where to send what the person wants. */
export interface SearchScreenProps {
  readonly store: Store<SearchScreenModel, SearchScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly dispatch: (intent: SearchIntent) => void;
}

/** The search screen: a pure view of the store; keys become intents. */
export function SearchScreen(props: SearchScreenProps): ReactElement {
  const { store, style, dispatch } = props;
  const model = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const [readKey] = useState(createKeyReader);
  const { setCursorPosition } = useCursor();
  useInput((input, key) => {
    // Read from the store: several keys may arrive before the next render.
    for (const intent of readKey(input, key, store.getSnapshot(), layoutSearch(size).list)) {
      dispatch(intent);
    }
  });
  const frame = searchFrame(model, style, size);
  setCursorPosition(frame.cursor);
  return <Lines lines={frame.lines} />;
}
