import type {
  DreamCandidatesOutput,
  DreamExplainOutput,
} from '../../../engine/dreaming/output-schemas.js';

/** A candidate with its gates. */
export type ShownCandidate = DreamCandidatesOutput['candidates'][number] & {
  readonly gates: DreamExplainOutput['gates'];
};

/** Where a claim stands in its note now; see the engine's ClaimPassage. */
export interface ShownPassage {
  readonly state: 'changed' | 'found' | 'missing';
  readonly startLine: number;
  readonly lines: readonly string[];
  readonly claim: { readonly startLine: number; readonly endLine: number } | undefined;
}

/** What a person decided on the screen, and what taking it back needs. */
export type Decided =
  | { readonly kind: 'promoted'; readonly key: string; readonly sweep: string }
  | { readonly kind: 'rejected'; readonly key: string };

/** The whole screen of candidates. */
export interface CandidatesState {
  /** Undefined until they are read for the first time. */
  readonly candidates: readonly ShownCandidate[] | undefined;
  /** Key of the one that keys act on. */
  readonly chosen: string | undefined;
  /** The passages that were read, by key. */
  readonly passages: Readonly<Record<string, ShownPassage>>;
  /** The gates are shown in place of the passage. */
  readonly why: boolean;
  /** A decision is being written. */
  readonly busy: boolean;
  readonly decided: readonly Decided[];
  /** What came of the last key. */
  readonly told: string | undefined;
  readonly help: boolean;
}

/** What moves the screen on. */
export type CandidatesEvent =
  | {
      readonly type: 'loaded';
      readonly candidates: readonly ShownCandidate[];
      /** To be chosen, where it is among them. */
      readonly choose?: string | undefined;
    }
  | { readonly type: 'passage'; readonly key: string; readonly passage: ShownPassage }
  | { readonly type: 'moved'; readonly by: number }
  | { readonly type: 'why.toggled' }
  | { readonly type: 'help.toggled' }
  | { readonly type: 'back' }
  | { readonly type: 'deciding' }
  | { readonly type: 'decided'; readonly decided: Decided; readonly told: string }
  | { readonly type: 'taken.back'; readonly told: string }
  | { readonly type: 'told'; readonly told: string };

/** The screen before anything is read. */
export const EMPTY_CANDIDATES: CandidatesState = {
  candidates: undefined,
  chosen: undefined,
  passages: {},
  why: false,
  busy: false,
  decided: [],
  told: undefined,
  help: false,
};

/** The screen after an event; pure. */
export function reduceCandidates(state: CandidatesState, event: CandidatesEvent): CandidatesState {
  switch (event.type) {
    case 'loaded':
      return loaded(state, event.candidates, event.choose);
    case 'passage':
      return { ...state, passages: { ...state.passages, [event.key]: event.passage } };
    case 'moved':
      return moved(state, event.by);
    case 'why.toggled':
      return { ...state, why: !state.why };
    case 'help.toggled':
      return { ...state, help: !state.help };
    case 'back':
      return { ...state, help: false, why: false };
    case 'deciding':
      return { ...state, busy: true, told: undefined };
    case 'decided': {
      const { decided, told } = event;
      const left = withoutKey(state, decided.key);
      return { ...left, busy: false, decided: [...state.decided, decided], told };
    }
    case 'taken.back':
      return { ...state, busy: false, decided: state.decided.slice(0, -1), told: event.told };
    case 'told':
      return { ...state, busy: false, told: event.told };
  }
}

/** The candidate that keys act on: the first where the chosen one is gone. */
export function chosenCandidate({
  candidates,
  chosen,
}: CandidatesState): ShownCandidate | undefined {
  return candidates?.find(({ key }) => key === chosen) ?? candidates?.[0];
}

function loaded(
  state: CandidatesState,
  candidates: readonly ShownCandidate[],
  choose: string | undefined,
): CandidatesState {
  // A note may have changed meanwhile: passages are read anew.
  return { ...state, candidates, chosen: choose ?? state.chosen, passages: {} };
}

function moved(state: CandidatesState, by: number): CandidatesState {
  const { candidates = [] } = state;
  const at = candidates.findIndex(({ key }) => key === chosenCandidate(state)?.key);
  const next = candidates[Math.min(Math.max(at + by, 0), candidates.length - 1)];
  return { ...state, chosen: next?.key, told: undefined };
}

/** The one below takes the place of a candidate that goes; above it, for the last one. */
function withoutKey(state: CandidatesState, gone: string): CandidatesState {
  const { candidates = [] } = state;
  const at = candidates.findIndex(({ key }) => key === gone);
  const left = candidates.filter(({ key }) => key !== gone);
  const next = left[Math.min(Math.max(at, 0), left.length - 1)];
  return { ...state, candidates: left, chosen: next?.key };
}
