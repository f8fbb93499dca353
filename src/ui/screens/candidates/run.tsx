import { type ReactElement, useSyncExternalStore } from 'react';
import type { DecisionOutput } from '../../../engine/dreaming/index.js';
import { decisionWords } from '../../dream/words.js';
import type { Style } from '../../style.js';
import { runAlternate } from '../../terminal/mount-alternate.js';
import type { ScreenStreams } from '../../terminal/session.js';
import { useTerminalSize } from '../../terminal/size.js';
import { createEnding } from '../ending.js';
import { useKeys } from '../keys.js';
import { Lines } from '../lines.js';
import { createStore, type Store } from '../store.js';
import { candidatesFrame } from './frame.js';
import {
  type CandidatesEvent,
  type CandidatesState,
  chosenCandidate,
  type Decided,
  EMPTY_CANDIDATES,
  reduceCandidates,
  type ShownCandidate,
  type ShownPassage,
} from './state.js';

/** Calls the screen makes to the engine. */
export interface CandidatesActions {
  readonly load: () => Promise<readonly ShownCandidate[]>;
  readonly passage: (key: string) => Promise<ShownPassage>;
  /** `sweep` is the sweep to undo; null if nothing was written. */
  readonly promote: (
    key: string,
  ) => Promise<Pick<DecisionOutput, 'decision' | 'why'> & { readonly sweep: string | null }>;
  readonly reject: (key: string) => Promise<void>;
  /** @returns the outcome in one line */
  readonly takeBack: (decided: Decided) => Promise<string>;
  /** Describes a failure in one line. */
  readonly explain: (error: unknown) => string;
}

/** How the screen is opened. */
export interface CandidatesScreenOptions extends ScreenStreams {
  readonly style: Style;
  readonly title: string;
  readonly actions: CandidatesActions;
  /** Closes the screen as if the person had quit. */
  readonly signal: AbortSignal;
}

/**
 * Shows the candidates until the person quits; returns the decisions that were not undone. Waits for a
 * decision being written, and restores the terminal however it ends.
 */
export async function runCandidatesScreen(
  options: CandidatesScreenOptions,
): Promise<readonly Decided[]> {
  const { style, title, stdout, actions } = options;
  const store = createStore(EMPTY_CANDIDATES, reduceCandidates);
  const { ended, finish, fail } = createEnding<void>();
  const leave = (): void => finish();
  let writing: Promise<void> = Promise.resolve();
  const load = async (choose?: string): Promise<void> => {
    store.dispatch({ type: 'loaded', candidates: await actions.load(), choose });
  };
  /** One decision at a time; shows failures. */
  const write = (work: (state: CandidatesState) => Promise<void> | undefined): void => {
    const state = store.getSnapshot();
    if (state.busy) return;
    const begun = work(state);
    if (begun === undefined) return;
    store.dispatch({ type: 'deciding' });
    writing = begun.catch((error: unknown) => {
      store.dispatch({ type: 'told', told: actions.explain(error) });
    });
  };
  const stopReading = readPassages(store, actions);
  try {
    await runAlternate(
      <CandidatesScreen
        store={store}
        stdout={stdout}
        style={style}
        title={title}
        onPromote={() =>
          write((state) => {
            const candidate = chosenCandidate(state);
            return candidate && promote(candidate, actions).then(store.dispatch);
          })
        }
        onReject={() =>
          write((state) => {
            const candidate = chosenCandidate(state);
            return candidate && reject(candidate, actions).then(store.dispatch);
          })
        }
        onUndo={() =>
          write((state) => {
            const decided = state.decided.at(-1);
            if (decided === undefined) {
              store.dispatch({ type: 'told', told: 'nothing to undo' });
              return undefined;
            }
            return actions.takeBack(decided).then(async (told) => {
              store.dispatch({ type: 'taken.back', told });
              await load(decided.key);
            });
          })
        }
        onAgain={() =>
          write(() => load().then(() => store.dispatch({ type: 'told', told: 'reloaded' })))
        }
        onLeave={leave}
      />,
      options,
      {
        begin: () => void load().catch(fail),
        ended: ended.then(() => writing),
        leave,
      },
    );
    return store.getSnapshot().decided;
  } finally {
    stopReading();
  }
}

type DecidedEvent =
  | { readonly type: 'decided'; readonly decided: Decided; readonly told: string }
  | { readonly type: 'told'; readonly told: string };

async function promote(
  { key, text }: ShownCandidate,
  actions: CandidatesActions,
): Promise<DecidedEvent> {
  const promotion = await actions.promote(key);
  const told = `${decisionWords(promotion)}: ${text}`;
  return promotion.sweep === null
    ? { type: 'told', told }
    : { type: 'decided', decided: { kind: 'promoted', key, sweep: promotion.sweep }, told };
}

async function reject(
  { key, text }: ShownCandidate,
  actions: CandidatesActions,
): Promise<DecidedEvent> {
  await actions.reject(key);
  return { type: 'decided', decided: { kind: 'rejected', key }, told: `rejected: ${text}` };
}

/** Loads the passage of the selected candidate. @returns a function that stops this */
function readPassages(
  store: ReturnType<typeof createStore<CandidatesState, Parameters<typeof reduceCandidates>[1]>>,
  actions: CandidatesActions,
): () => void {
  const asked = new Set<string>();
  let candidates: CandidatesState['candidates'];
  const read = (): void => {
    const state = store.getSnapshot();
    // A reload clears the passages.
    if (Object.keys(state.passages).length === 0 && state.candidates !== candidates) asked.clear();
    candidates = state.candidates;
    const key = chosenCandidate(state)?.key;
    if (key === undefined || asked.has(key)) return;
    asked.add(key);
    actions.passage(key).then(
      (passage) => store.dispatch({ type: 'passage', key, passage }),
      (error: unknown) => store.dispatch({ type: 'told', told: actions.explain(error) }),
    );
  };
  return store.subscribe(read);
}

interface CandidatesScreenProps {
  readonly store: Store<CandidatesState, CandidatesEvent>;
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly title: string;
  readonly onPromote: () => void;
  readonly onReject: () => void;
  readonly onUndo: () => void;
  readonly onAgain: () => void;
  readonly onLeave: () => void;
}

const PAGE = 10;

/** The candidates screen: a pure view of the store. */
export function CandidatesScreen(props: CandidatesScreenProps): ReactElement {
  const { store, style, title } = props;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot);
  const size = useTerminalSize(props.stdout);
  const move = (by: number) => () => store.dispatch({ type: 'moved', by });
  const isOpen = state.help || state.why;
  useKeys({
    named: {
      ctrlC: props.onLeave,
      escape: isOpen ? () => store.dispatch({ type: 'back' }) : props.onLeave,
      upArrow: move(-1),
      downArrow: move(1),
      pageUp: move(-PAGE),
      pageDown: move(PAGE),
    },
    typed: {
      q: props.onLeave,
      r: props.onAgain,
      p: props.onPromote,
      x: props.onReject,
      u: props.onUndo,
      w: () => store.dispatch({ type: 'why.toggled' }),
      j: move(1),
      k: move(-1),
      '?': () => store.dispatch({ type: 'help.toggled' }),
    },
  });
  return <Lines lines={candidatesFrame(state, { style, title }, size)} />;
}
