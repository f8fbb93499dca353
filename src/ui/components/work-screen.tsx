import { type ReactElement, useState } from 'react';
import type { Area } from '../terminal/size.js';
import { helpLine, type KeyMap, quitKey, withHelp } from './key-map.js';
import { Rows } from './rows.js';
import { Screen, type ScreenProps } from './screen.js';
import { createStore, type ReadableStore, type StateStore, type Store, useStore } from './store.js';

/** What a screen shows of running work. Functions are called for every frame. */
interface WorkScreenProps extends Pick<ScreenProps, 'facts' | 'title'> {
  /** Also read by the functions below. */
  readonly store: ReadableStore<WorkState>;
  /** Finished lines, most important first. */
  readonly lines: (area: Area) => readonly string[];
  readonly onStop: () => void;
}

/** State that all screens of running work have. */
export interface WorkState {
  /** The user asked to stop, and the current transaction is being finished. */
  readonly isStopping: boolean;
}

/** A screen that is shown while work is running. */
export function WorkScreen(props: WorkScreenProps): ReactElement {
  const { store, title, facts, lines, onStop } = props;
  const { isStopping } = useStore(store);
  // Several keys can arrive before the next frame.
  const [help] = useState(() => createStore(false, (_, isOpen: boolean) => isOpen));
  return (
    <Screen
      title={title}
      facts={facts}
      keys={() => keysOf(onStop, help)}
      isHelpOpen={useStore(help)}
      note={isStopping ? { text: STOPPING, isFault: false } : undefined}
    >
      {(area) => <Rows lines={lines(area).slice(0, area.rows)} />}
    </Screen>
  );
}

const STOPPING = 'stopping after the current transaction · ctrl-c quits now';

function keysOf(onStop: () => void, help: Store<boolean, boolean>): KeyMap {
  const quit = quitKey(onStop, 'stop; keeps finished work or the old index', 'q stop');
  const twice = helpLine('ctrl-c twice', 'quit now');
  return {
    bindings: [
      { ...quit, on: ['q', 'ctrl-c'] },
      ...withHelp([twice], help.getSnapshot(), help.dispatch),
    ],
  };
}

/**
 * Handles the keys that stop work: in order the first time, immediately the second time.
 *
 * @param close removes the screen and restores the terminal
 * @param onInterrupt called every time; from the second time on the terminal is restored
 */
export function stopHandler(
  store: StateStore<WorkState>,
  close: () => Promise<void>,
  onInterrupt: () => void,
): () => void {
  return () => {
    const { isStopping } = store.getSnapshot();
    store.dispatch({ isStopping: true });
    if (isStopping) void close().then(onInterrupt);
    else onInterrupt();
  };
}
