import type { DreamCandidatesOutput, DreamExplainOutput } from '../../../engine/dreaming/index.js';
import type { ListItem } from '../../components/list-state.js';

/** A candidate with its gates. */
export type ShownCandidate = DreamCandidatesOutput['candidates'][number] & {
  readonly gates: DreamExplainOutput['gates'];
};

/** A candidate in the list. */
export interface CandidateItem extends ListItem {
  readonly candidate: ShownCandidate;
}

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

/** State of the candidates screen, besides its list. */
export interface CandidatesState {
  /** Show gates instead of the passage. */
  readonly isWhy: boolean;
  /** What can be undone, the last one last. */
  readonly decided: readonly Decided[];
}

export type CandidatesEvent =
  | { readonly type: 'why.toggled' }
  | { readonly type: 'decided'; readonly decided: Decided }
  | { readonly type: 'undone' };

export const START_CANDIDATES: CandidatesState = { isWhy: false, decided: [] };

/** The screen after an event; pure. */
export function reduceCandidates(state: CandidatesState, event: CandidatesEvent): CandidatesState {
  switch (event.type) {
    case 'why.toggled':
      return { ...state, isWhy: !state.isWhy };
    case 'decided':
      return { ...state, decided: [...state.decided, event.decided] };
    case 'undone':
      return { ...state, decided: state.decided.slice(0, -1) };
  }
}
