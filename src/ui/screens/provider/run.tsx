import { type ReactElement, useSyncExternalStore } from 'react';
import type { Diagnosis, DiagnosisEvent } from '../../../engine/embeddings/index.js';
import type { SourceLocation } from '../../../engine/errors/index.js';
import type { Style } from '../../style.js';
import { runAlternate } from '../../terminal/mount-alternate.js';
import type { ScreenStreams } from '../../terminal/session.js';
import { useTerminalSize } from '../../terminal/size.js';
import { createEnding } from '../ending.js';
import { useKeys } from '../keys.js';
import { Lines } from '../lines.js';
import { createStore, type Store } from '../store.js';
import { editTarget, providerFrame } from './frame.js';
import {
  type ProviderScreenEvent,
  type ProviderScreenState,
  reduceProviderScreen,
  START_PROVIDER_SCREEN,
} from './state.js';

/** What the command passes to the diagnostics screen. */
export interface ProviderScreenOptions extends ScreenStreams {
  readonly style: Style;
  /** As `provider path of agent main`. */
  readonly title: string;
  /** Runs the checks once; called again when the user asks for it. */
  readonly start: (
    signal: AbortSignal,
    onEvent: (event: DiagnosisEvent) => void,
  ) => Promise<Diagnosis>;
  /** Ends the screen as if the user had left. */
  readonly signal: AbortSignal;
}

/** The result of the diagnostics screen. */
export interface ProviderScreenEnd {
  /** The last diagnosis; undefined if the user left before it was complete. */
  readonly diagnosis: Diagnosis | undefined;
  /** The setting to open in the editor after the screen. */
  readonly edit: SourceLocation | undefined;
}

/**
 * Shows a diagnosis until the user leaves. The terminal is always restored, without a trace of the
 * screen.
 */
export async function runProviderScreen(
  options: ProviderScreenOptions,
): Promise<ProviderScreenEnd> {
  const { style, title, stdout } = options;
  const store = createStore(START_PROVIDER_SCREEN, reduceProviderScreen);
  let found: Diagnosis | undefined;
  const { ended, finish, fail } = createEnding<ProviderScreenEnd>();
  let running: AbortController | undefined;
  const look = (): void => {
    running?.abort();
    const own = new AbortController();
    running = own;
    store.dispatch({ type: 'run.started' });
    const { run } = store.getSnapshot();
    options
      .start(own.signal, (event) => store.dispatch({ type: 'told', run, event }))
      .then(
        (diagnosis) => {
          if (running === own) found = diagnosis;
        },
        (error: unknown) => {
          if (running === own && !own.signal.aborted) fail(error);
        },
      );
  };
  const leave = (): void => finish({ diagnosis: found, edit: undefined });
  const edit = (): void => {
    const target = editTarget(store.getSnapshot());
    if (target !== undefined) finish({ diagnosis: found, edit: target });
  };
  try {
    return await runAlternate(
      <ProviderScreen
        store={store}
        stdout={stdout}
        title={title}
        style={style}
        onAgain={look}
        onEdit={edit}
        onLeave={leave}
      />,
      options,
      { begin: look, ended, leave },
    );
  } finally {
    running?.abort();
  }
}

/** State and callbacks of the diagnostics screen. */
interface ProviderScreenProps {
  readonly store: Store<ProviderScreenState, ProviderScreenEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly title: string;
  readonly style: Style;
  readonly onAgain: () => void;
  readonly onEdit: () => void;
  readonly onLeave: () => void;
}

/** A pure view of the store. */
function ProviderScreen(props: ProviderScreenProps): ReactElement {
  const { store, title, style } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  useKeys({
    named: {
      ctrlC: props.onLeave,
      escape: state.help ? () => store.dispatch({ type: 'help.closed' }) : props.onLeave,
    },
    typed: {
      q: props.onLeave,
      r: props.onAgain,
      e: props.onEdit,
      '?': () => store.dispatch({ type: 'help.toggled' }),
    },
  });
  return <Lines lines={providerFrame(state, title, style, size)} />;
}
