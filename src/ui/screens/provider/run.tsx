import type { Diagnosis, DiagnosisEvent } from '../../../engine/embeddings/diagnosis/events.js';
import type { SourceLocation } from '../../../engine/errors/index.js';
import type { Style } from '../../style.js';
import { createEnding } from '../ending.js';
import type { ScreenStreams } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore } from '../store.js';
import { editTarget } from './frame.js';
import { reduceProviderScreen, START_PROVIDER_SCREEN } from './state.js';
import { ProviderScreen } from './view.js';

/** What the diagnostics screen needs of the command that opens it. */
export interface ProviderScreenOptions extends ScreenStreams {
  readonly style: Style;
  /** As `provider path of agent main`. */
  readonly title: string;
  /** Looks once; every event goes to the screen. Asked again when the person wants that. */
  readonly start: (
    signal: AbortSignal,
    onEvent: (event: DiagnosisEvent) => void,
  ) => Promise<Diagnosis>;
  /** Ends the screen from outside; it ends as if the person had left. */
  readonly signal: AbortSignal;
}

/** How the diagnostics screen ended. */
export interface ProviderScreenEnd {
  /** What was found last; undefined when the person left before there was anything. */
  readonly diagnosis: Diagnosis | undefined;
  /** The setting to open in the editor, now that the terminal is the person's again. */
  readonly edit: SourceLocation | undefined;
}

/**
 * Shows a diagnosis while it runs, and until the person leaves. The terminal is restored however it
 * ends; nothing of the screen stays.
 */
export async function runProviderScreen(
  options: ProviderScreenOptions,
): Promise<ProviderScreenEnd> {
  const { style, title, stdout, signal } = options;
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
  const screen = mountAlternate(
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
  );
  signal.addEventListener('abort', leave);
  try {
    if (signal.aborted) leave();
    else look();
    return await Promise.race([ended, screen.failed]);
  } finally {
    running?.abort();
    signal.removeEventListener('abort', leave);
    await screen.unmount();
  }
}
