import type { DecisionOutput } from '../../../engine/dreaming/output-schemas.js';
import { decisionWords } from '../../dream/words.js';
import type { Style } from '../../style.js';
import { createEnding } from '../ending.js';
import type { ScreenStreams } from '../mount.js';
import { mountAlternate } from '../mount-alternate.js';
import { createStore } from '../store.js';
import {
  type CandidatesState,
  chosenCandidate,
  type Decided,
  EMPTY_CANDIDATES,
  reduceCandidates,
  type ShownCandidate,
  type ShownPassage,
} from './state.js';
import { CandidatesScreen } from './view.js';

/** What promoting came to. */
export interface ScreenPromotion extends Pick<DecisionOutput, 'decision' | 'why'> {
  /** What to take back; null when nothing was written. */
  readonly sweep: string | null;
}

/** What the screen asks of the engine. */
export interface CandidatesActions {
  readonly load: () => Promise<readonly ShownCandidate[]>;
  readonly passage: (key: string) => Promise<ShownPassage>;
  readonly promote: (key: string) => Promise<ScreenPromotion>;
  readonly reject: (key: string) => Promise<void>;
  /** @returns what came of it, in a line */
  readonly takeBack: (decided: Decided) => Promise<string>;
  /** A failure, in a line. */
  readonly explain: (error: unknown) => string;
}

/** What the screen needs of the command that opens it. */
export interface CandidatesScreenOptions extends ScreenStreams {
  readonly style: Style;
  /** Whose candidates these are. */
  readonly title: string;
  readonly actions: CandidatesActions;
  /** Ends the screen from outside; it ends as if the person had left. */
  readonly signal: AbortSignal;
}

/**
 * Shows the candidates until the person leaves; gives back what was decided and not taken back. A decision
 * that is being written is waited for, and the terminal is restored however it ends.
 */
export async function runCandidatesScreen(
  options: CandidatesScreenOptions,
): Promise<readonly Decided[]> {
  const { style, title, stdout, signal, actions } = options;
  const store = createStore(EMPTY_CANDIDATES, reduceCandidates);
  const { ended, finish, fail } = createEnding<void>();
  const leave = (): void => finish();
  let writing: Promise<void> = Promise.resolve();
  const load = async (choose?: string): Promise<void> => {
    store.dispatch({ type: 'loaded', candidates: await actions.load(), choose });
  };
  /** Only one decision at a time; what it fails with is told. */
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
  const screen = mountAlternate(
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
            store.dispatch({ type: 'told', told: 'nothing was decided here that could be undone' });
            return undefined;
          }
          return actions.takeBack(decided).then(async (told) => {
            store.dispatch({ type: 'taken.back', told });
            await load(decided.key);
          });
        })
      }
      onAgain={() =>
        write(() => load().then(() => store.dispatch({ type: 'told', told: 'read anew' })))
      }
      onLeave={leave}
    />,
    options,
  );
  const stopReading = readPassages(store, actions);
  signal.addEventListener('abort', leave);
  try {
    if (signal.aborted) leave();
    else load().catch(fail);
    await Promise.race([ended, screen.failed]);
    await writing;
    return store.getSnapshot().decided;
  } finally {
    stopReading();
    signal.removeEventListener('abort', leave);
    await screen.unmount();
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

/** Reads the passage of whatever is chosen. @returns ends it */
function readPassages(
  store: ReturnType<typeof createStore<CandidatesState, Parameters<typeof reduceCandidates>[1]>>,
  actions: CandidatesActions,
): () => void {
  const asked = new Set<string>();
  let candidates: CandidatesState['candidates'];
  const read = (): void => {
    const state = store.getSnapshot();
    // After a reload all are read anew.
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
