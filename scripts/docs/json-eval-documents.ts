import { evalDraftsOutputSchema, evalOutputSchema } from '../../src/engine/eval/output-schemas.js';
import { type JsonDocument, WARNINGS } from './json-document.js';

const FIGURES = {
  recall5: 'Share of what is expected that stands in the first 5 distinct files.',
  recall: 'The same for all results.',
  mrr: 'One divided by the place of the first file that was expected.',
  ndcg: 'Gain of the expected files by place, against the best order.',
  hit5: 'How often one of the first 5 results covers something expected.',
  hit: 'The same for all results.',
  evidence:
    'Share of the expected lines and texts that results cover; `null` where only files are expected.',
  seen: 'How often some of them can be read in what is returned; `null` as above.',
  evidence4k: 'Share of them that can be read in the first 4,000 characters; `null` as above.',
  none: 'Share of the questions without any result.',
  characters: 'Characters of text returned.',
};

function figuresAt(path: string, meaning: string): Readonly<Record<string, string>> {
  const parts = Object.entries(FIGURES).map(([name, text]) => [`${path}.${name}`, text]);
  return { [path]: meaning, ...Object.fromEntries(parts) };
}

const EXAMPLE_FIGURES = {
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

const evaluated: JsonDocument = {
  title: 'svc memory eval',
  introduction: 'How well memory was searched; see [eval.md](eval.md).',
  schema: evalOutputSchema,
  meanings: {
    agent: 'The agent that was asked; `null` with `--workspace`, and where all questions name one.',
    file: 'Absolute path of the file of questions.',
    questions: 'How many were asked.',
    maxResults: 'How many results each question got.',
    minScore: 'What `--min-score` was; `null` where `query.minScore` counted.',
    seed: 'What the resamples were chosen by.',
    variants: 'What is configured first, then those of `--compare`.',
    'variants[].name': '`as configured`, or as it was typed.',
    'variants[].settings': 'What lay over `memorySearch`.',
    'variants[].mode': 'How it was searched: by words, by vectors, or by both.',
    'variants[].provider': 'Who embedded the questions; `null` in lexical search.',
    'variants[].model': 'The model; `null` in lexical search.',
    'variants[].fellBack':
      'Questions that were answered by words alone although a provider is configured.',
    ...figuresAt('variants[].figures', 'The means over all questions.'),
    'variants[].tags': 'The same for the questions of each tag.',
    'variants[].tags[].tag': 'As the questions have it.',
    'variants[].tags[].questions': 'How many have it.',
    ...figuresAt('variants[].tags[].figures', 'The means over these questions.'),
    'variants[].latencyMs': 'How long answers took, in milliseconds.',
    'variants[].latencyMs.p50': 'Half of them were no slower.',
    'variants[].latencyMs.p95': '95 of 100 were no slower.',
    'variants[].latencyMs.p99': '99 of 100 were no slower.',
    'variants[].latencyMs.max': 'The slowest.',
    'variants[].differences': 'From the first variant; empty for that one.',
    'variants[].differences[].figure': 'Its name, as above.',
    'variants[].differences[].difference': "This variant's mean less the first one's.",
    'variants[].differences[].low': 'In 95 of 100 resamples it is above this.',
    'variants[].differences[].high': 'In 95 of 100 resamples it is below this.',
    'variants[].differences[].p': 'How often chance alone would give as much.',
    'variants[].differences[].beyondChance': 'Whether it is beyond chance, at 5 %.',
    misses: 'What the first variant did not find; see [eval.md](eval.md#misses).',
    'misses[].id': 'Of the question.',
    'misses[].question': 'As it was asked.',
    'misses[].workspace': 'The folder that the question names.',
    'misses[].expected': 'What was expected: a path, `path#L3-L5`, or a text in quotes.',
    'misses[].why': 'The reason.',
    'misses[].lines': 'How many lines the file has.',
    'misses[].place':
      'Which result it would be, from 1; `null` where not even a wider search brings it up.',
    'misses[].ranked': 'How many chunks are ranked for so many results.',
    'misses[].above': 'The first results.',
    'misses[].above[].citation': '`path#L3-L5`.',
    'misses[].above[].score': '0 to 1.',
    'misses[].score': 'Its score, which is below the minimum.',
    baseline: '`null` without `--baseline`.',
    'baseline.file': 'Absolute path of it.',
    'baseline.margin': 'How much lower a figure may be.',
    'baseline.shared': 'Questions that both have; only these count.',
    'baseline.added': 'Questions that the baseline does not have.',
    'baseline.gone': 'Questions that only the baseline has.',
    ...figuresAt('baseline.before', 'The means of the baseline.'),
    ...figuresAt('baseline.now', 'The means of this run.'),
    'baseline.drops': 'Figures that are lower by more than the margin; any makes the exit code 1.',
    'baseline.drops[].figure': 'Its name.',
    'baseline.drops[].before': 'What it was.',
    'baseline.drops[].now': 'What it is.',
    written: 'Absolute path of the baseline that was written; `null` for none.',
    ...WARNINGS,
  },
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
        figures: EXAMPLE_FIGURES,
        tags: [{ tag: 'backups', questions: 20, figures: EXAMPLE_FIGURES }],
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

const drafted: JsonDocument = {
  title: 'svc memory eval --generate',
  introduction: 'Drafts for a file of questions; see [eval.md](eval.md#drafting-questions).',
  schema: evalDraftsOutputSchema,
  meanings: {
    agent: 'Whose notes they are made of; `null` with `--workspace`.',
    seed: 'What they were chosen by.',
    file: 'Absolute path of the file that was written; `null` without `--output`.',
    drafts: 'As many as wanted, or as the notes give.',
    'drafts[].question': 'To be put into your own words.',
    'drafts[].expect': 'The lines it was made of.',
    'drafts[].tags': '`heading` or `sentence`.',
    ...WARNINGS,
  },
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
export const EVAL_DOCUMENTS: readonly JsonDocument[] = [evaluated, drafted];
