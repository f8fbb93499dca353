import type {
  CandidatePassage,
  CandidateWithGates,
} from '../../../src/ui/screens/candidates/view.js';

/** A candidate around what a test is about. */
export function aCandidate(fields: Partial<CandidateWithGates> = {}): CandidateWithGates {
  return {
    key: '28d9c1991a2b3c4d',
    text: 'The nightly backup of the storage server runs at 02:30.',
    source: 'memory',
    path: 'memory/2026-11-18.md',
    startLine: 5,
    endLine: 5,
    recalls: 5,
    notes: 1,
    grounded: 0,
    questions: 5,
    days: 4,
    firstSignalAt: '2026-11-16T09:12:00.000Z',
    lastSignalAt: '2026-11-19T16:40:00.000Z',
    score: 0.8594,
    passes: true,
    promotes: true,
    signals: {
      frequency: 0.75,
      relevance: 0.9,
      diversity: 1,
      recency: 0.5,
      consolidation: 0,
      conceptual: 0.3,
    },
    lightBoost: 0.02,
    remBoost: 0,
    failed: [],
    gates: [
      { gate: 'clean', passed: true, why: 'a statement' },
      { gate: 'score', passed: true, why: '0.859 of 0.75' },
    ],
    ...fields,
  };
}

/** A candidate that was not recalled often enough. */
export const WEAK = aCandidate({
  key: '011c29501a2b3c4d',
  text: 'Mira owns the billing service and signs off its releases.',
  startLine: 6,
  endLine: 6,
  score: 0.57,
  passes: false,
  promotes: false,
  failed: ['recall_count'],
  gates: [
    { gate: 'clean', passed: true, why: 'a statement' },
    { gate: 'recall_count', passed: false, why: '1 signal, needs 3' },
  ],
});

/** The note that both are in. */
export const PASSAGE: CandidatePassage = {
  state: 'found',
  startLine: 1,
  lines: [
    '# 2026-11-18',
    '',
    '## Operations',
    '',
    '- The nightly backup of the storage server runs at 02:30.',
    '- Mira owns the billing service and signs off its releases.',
  ],
  claim: { startLine: 5, endLine: 5 },
};
