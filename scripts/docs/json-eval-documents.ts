import { evalDraftsOutputSchema, evalOutputSchema } from '../../src/engine/eval/output-schemas.js';
import type { JsonDocument } from './json-document.js';

const EXAMPLE_METRICS = {
  recall5: 0.9,
  recall: 0.95,
  mrr: 0.82,
  ndcg: 0.85,
  hit5: 0.9,
  hit: 0.95,
  evidence: 0.93,
  seen: 0.95,
  evidence4k: 0.91,
  none: 0,
  characters: 5120,
};

const evaluation: JsonDocument = {
  title: 'svc memory eval',
  introduction: 'The measured search quality; see [eval.md](eval.md).',
  schema: evalOutputSchema,
  example: {
    agent: 'main',
    file: '/home/ada/questions.jsonl',
    questions: 20,
    maxResults: 10,
    minScore: null,
    seed: 1,
    variants: [
      {
        name: 'as configured',
        settings: {},
        mode: 'lexical',
        provider: null,
        model: null,
        fellBack: 0,
        corrected: 0,
        rerank: null,
        metrics: EXAMPLE_METRICS,
        tags: [{ tag: 'backups', questions: 20, metrics: EXAMPLE_METRICS }],
        latencyMs: { p50: 1.4, p95: 3.1, p99: 4.8, max: 4.8 },
        differences: [],
      },
    ],
    misses: [
      {
        id: 'nas-disks',
        question: 'How large are the disks of the NAS?',
        expected: 'memory/2026-02-03.md#L12',
        why: 'outranked',
        place: 12,
        above: [{ citation: 'memory/2026-02-03.md#L3-L6', score: 0.71 }],
      },
    ],
    baseline: null,
    written: null,
    warnings: [],
  },
};

const generation: JsonDocument = {
  title: 'svc memory eval --generate',
  introduction: 'Draft questions; see [eval.md](eval.md#drafting-questions).',
  schema: evalDraftsOutputSchema,
  example: {
    agent: 'main',
    seed: 1,
    file: null,
    drafts: [
      {
        question: 'What do the notes say about backups?',
        expect: ['memory/2026-02-03.md#L3-L6'],
        tags: ['heading'],
      },
    ],
    warnings: [],
  },
};

/** The documents of `svc memory eval`. */
export const EVAL_DOCUMENTS: readonly JsonDocument[] = [evaluation, generation];
