import type { DreamCandidatesOutput, DreamExplainOutput } from '../../../engine/dreaming/index.js';

/** A candidate with its gates. */
export type ShownCandidate = DreamCandidatesOutput['candidates'][number] & {
  readonly gates: DreamExplainOutput['gates'];
};

/** The lines around a claim; see ClaimPassage in the engine. */
export interface ShownPassage {
  readonly state: 'changed' | 'found' | 'missing';
  readonly startLine: number;
  readonly lines: readonly string[];
  readonly claim: { readonly startLine: number; readonly endLine: number } | undefined;
}

/** A decision made on the screen, with what undoing it needs. */
export type Decided =
  | { readonly kind: 'promoted'; readonly key: string; readonly sweep: string }
  | { readonly kind: 'rejected'; readonly key: string };

/** State of the candidates screen. */
export interface CandidatesState {
  /** Undefined until loaded. */
  readonly candidates: readonly ShownCandidate[] | undefined;
  /** Key of the selected candidate. */
  readonly chosen: string | undefined;
  /** Loaded passages by claim key. */
  readonly passages: Readonly<Record<string, ShownPassage>>;
  /** Show gates instead of the passage. */
  readonly why: boolean;
  /** A decision is being written. */
  readonly busy: boolean;
  readonly decided: readonly Decided[];
  /** Outcome of the last key. */
  readonly told: string | undefined;
  readonly help: boolean;
}

export type CandidatesEvent =
  | {
      readonly type: 'loaded';
      readonly candidates: readonly ShownCandidate[];
      /** Candidate to select, if it is in the list. */
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
      // A note may have changed: reload passages too.
      return {
        ...state,
        candidates: event.candidates,
        chosen: event.choose ?? state.chosen,
        passages: {},
      };
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

/** The selected candidate; the first if the selected one is gone. */
export function chosenCandidate({
  candidates,
  chosen,
}: CandidatesState): ShownCandidate | undefined {
  return candidates?.find(({ key }) => key === chosen) ?? candidates?.[0];
}

function moved(state: CandidatesState, by: number): CandidatesState {
  const { candidates = [] } = state;
  const at = candidates.findIndex(({ key }) => key === chosenCandidate(state)?.key);
  const next = candidates[Math.min(Math.max(at + by, 0), candidates.length - 1)];
  return { ...state, chosen: next?.key, told: undefined };
}

/** Removes a candidate and selects the next one, or the previous one at the end. */
function withoutKey(state: CandidatesState, gone: string): CandidatesState {
  const { candidates = [] } = state;
  const at = candidates.findIndex(({ key }) => key === gone);
  const left = candidates.filter(({ key }) => key !== gone);
  const next = left[Math.min(Math.max(at, 0), left.length - 1)];
  return { ...state, candidates: left, chosen: next?.key };
}
