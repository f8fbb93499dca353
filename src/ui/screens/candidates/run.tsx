import type { DecisionOutput } from '../../../engine/dreaming/index.js';
import { deferred } from '../../../engine/support/async.js';
import { formatCount } from '../../../engine/support/format.js';
import { type Browser, type BrowserKeysOptions, createBrowser } from '../../components/browser.js';
import { BrowserScreen, browserFacts } from '../../components/browser-screen.js';
import type { BrowserSource } from '../../components/browser-state.js';
import { barKey } from '../../components/key-map.js';
import { createState, type StateStore } from '../../components/store.js';
import { decisionWords } from '../../dream/words.js';
import { safeLine } from '../../safe-text.js';
import type { Style } from '../../style.js';
import { type RunScreenOptions, runScreen } from '../../terminal/mount-screen.js';
import {
  type CandidateItem,
  type CandidatePassage,
  type CandidateWithGates,
  candidateColumns,
  passageRows,
  type UndoableDecision,
  whyRows,
} from './view.js';

/** Calls the screen makes to the engine. */
export interface CandidatesActions {
  readonly load: () => Promise<readonly CandidateWithGates[]>;
  readonly passage: (key: string) => Promise<CandidatePassage>;
  /** `sweep` is the sweep to undo; null if nothing was written. */
  readonly promote: (
    key: string,
  ) => Promise<Pick<DecisionOutput, 'decision' | 'why'> & { readonly sweep: string | null }>;
  readonly reject: (key: string) => Promise<void>;
  /** @returns whether it was undone, and the outcome in one line */
  readonly undo: (
    decision: UndoableDecision,
  ) => Promise<{ readonly isUndone: boolean; readonly words: string }>;
  /** Describes a failure in one line. */
  readonly explain: (error: unknown) => string;
}

/** How the screen is opened. */
export interface CandidatesScreenOptions extends RunScreenOptions {
  readonly title: string;
  readonly actions: CandidatesActions;
}

/**
 * Shows the candidates until the user quits; returns the decisions that were not undone. Waits for a
 * decision being written, and restores the terminal however it ends.
 */
export async function runCandidatesScreen(
  options: CandidatesScreenOptions,
): Promise<readonly UndoableDecision[]> {
  const { style, title, actions } = options;
  const store = createState<CandidatesState>({
    showsWhy: false,
    decisions: [],
    kept: [],
  });
  const decided = (): readonly UndoableDecision[] => {
    const { kept, decisions } = store.getSnapshot();
    return [...kept, ...decisions];
  };
  const browser = createBrowser(candidatesSource(store, actions, style));
  const { promise: ended, resolve: finish, reject: fail } = deferred<void>();
  await runScreen(
    <BrowserScreen
      browser={browser}
      title={() => `svc · dream candidates · ${safeLine(title)}`}
      facts={(state) => {
        const ready = state.list.items.filter(({ candidate }) => candidate.promotes).length;
        const counts = browserFacts(state, browser.choices, 'candidate');
        return [...counts, `${formatCount(ready)} ready`];
      }}
      columns={() => candidateColumns(style)}
      empty={() => (decided().length === 0 ? 'No candidates yet.' : 'No candidates left.')}
      keys={() => candidateKeys(browser, store, actions, () => finish())}
    />,
    options,
    {
      begin: () => void browser.refresh().catch(fail),
      ended: ended.then(browser.whenIdle),
      leave: () => finish(),
    },
  );
  return decided();
}

interface CandidatesState {
  /** Shows gates instead of the passage. */
  readonly showsWhy: boolean;
  /** What can be undone, the latest last. */
  readonly decisions: readonly UndoableDecision[];
  /** What could not be undone. */
  readonly kept: readonly UndoableDecision[];
}

function candidatesSource(
  store: StateStore<CandidatesState>,
  { load, passage, promote, reject, explain }: CandidatesActions,
  style: Style,
): BrowserSource<CandidateItem, 'all' | 'ready'> {
  const decide = (decision: UndoableDecision): void =>
    store.dispatch({ decisions: [...store.getSnapshot().decisions, decision] });
  return {
    choices: ['all', 'ready'],
    hasPreview: true,
    list: async (choice) => {
      const candidates = (await load()).filter(({ promotes }) => choice === 'all' || promotes);
      const items = candidates.map((candidate) => {
        const { key, text, path } = candidate;
        return { id: key, text: `${text} ${path} ${key}`, candidate };
      });
      return { items };
    },
    details: async ({ candidate }) => {
      if (store.getSnapshot().showsWhy) return (columns) => whyRows(candidate, style, columns);
      const found = await passage(candidate.key);
      return (columns) => passageRows(found, candidate, style, columns);
    },
    actions: [
      {
        key: 'p',
        name: 'promote',
        description: 'promote: write it to MEMORY.md now',
        run: async ({ candidate: { key, text } }) => {
          const promotion = await promote(key);
          const { sweep } = promotion;
          if (sweep !== null) decide({ kind: 'promoted', key, sweep });
          return `${decisionWords(promotion)}: ${text}`;
        },
      },
      {
        key: 'x',
        name: 'reject',
        description: 'reject: no sweep will promote it',
        run: async ({ candidate: { key, text } }) => {
          await reject(key);
          decide({ kind: 'rejected', key });
          return `rejected: ${text}`;
        },
      },
    ],
    explain,
  };
}

function candidateKeys(
  browser: Browser<CandidateItem>,
  store: StateStore<CandidatesState>,
  actions: Pick<CandidatesActions, 'undo'>,
  leave: () => void,
): BrowserKeysOptions {
  const { showsWhy, decisions, kept } = store.getSnapshot();
  const last = decisions.at(-1);
  const undo = async (): Promise<string> => {
    if (last === undefined) return 'nothing to undo';
    const { isUndone, words } = await actions.undo(last);
    store.dispatch({
      decisions: decisions.slice(0, -1),
      kept: isUndone ? kept : [...kept, last],
    });
    await browser.refresh();
    browser.changeList({ type: 'selected', id: last.key });
    return words;
  };
  return {
    noun: 'candidate',
    onStop: leave,
    extraKeys: [
      barKey(`w ${showsWhy ? 'passage' : 'why'}`, 'show why, or the passage', 4, () => {
        store.dispatch({ showsWhy: !showsWhy });
        browser.readDetails();
      }),
      {
        on: ['u'],
        run: () => browser.perform('undo', undo),
        help: ['u', 'undo your last decision'],
        ...(last === undefined ? {} : { bar: { text: 'u undo', dropOrder: 6 } }),
      },
      {
        on: ['r'],
        run: () => browser.perform('reload', async () => 'reloaded'),
        help: ['r', 'reload'],
      },
    ],
  };
}
