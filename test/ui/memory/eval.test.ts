import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EvalOutput } from '../../../src/engine/eval/output-schemas.js';
import { textWidth } from '../../../src/ui/fit.js';
import {
  formatDifference,
  formatShare,
  renderDrafts,
  renderEval,
} from '../../../src/ui/memory/eval.js';
import { createEvalProgress } from '../../../src/ui/progress-line.js';
import { createStyle } from '../../../src/ui/style.js';

const test = suite('the view of an evaluation');
const PIPE = { style: createStyle(false), columns: undefined, misses: 10 };

type Variant = EvalOutput['variants'][number];

function metrics(share: number): Variant['metrics'] {
  return {
    recall5: share,
    recall: share,
    mrr: share,
    ndcg: share,
    hit5: share,
    hit: share,
    evidence: null,
    seen: null,
    evidence4k: null,
    none: 0.25,
    characters: 5120.4,
  };
}

function variant(name: string, share: number): Variant {
  return {
    name,
    settings: {},
    mode: 'lexical',
    provider: null,
    model: null,
    fellBack: 0,
    corrected: 0,
    rerank: null,
    metrics: metrics(share),
    tags: [{ tag: 'a tag with quite a long name', questions: 4, metrics: metrics(share) }],
    latencyMs: { p50: 1.25, p95: 30, p99: 1400, max: 1500 },
    differences: [],
  };
}

function output(more: Partial<EvalOutput> = {}): EvalOutput {
  return {
    agent: 'main',
    file: '/q.jsonl',
    questions: 4,
    maxResults: 10,
    minScore: null,
    seed: 1,
    variants: [variant('as configured', 0.879)],
    misses: [],
    baseline: null,
    written: null,
    ...more,
  };
}

test('metrics are short, and a missing one is a dash', () => {
  assert.equal([0, 0.8794, 1, null].map(formatShare), ['.000', '.879', '1.00', '–']);
  assert.equal([0.012, -0.0034, 0.0004].map(formatDifference), ['+.012', '−.003', '±0']);
});

test('a pipe gets a table and no bars; a terminal of 80 columns both, and nothing is wider', () => {
  const piped = renderEval(output(), PIPE);
  assert.match(piped, /^a tag with quite a long name {2}4 {2}\.879 /m);
  assert.not.match(piped, /▇/);
  assert.match(piped, /^1 of 4 questions has no results\n5,120 characters/m);
  assert.match(piped, /p50 1\.3 ms, p95 30 ms, p99 1,400 ms, max 1,500 ms/);
  const shown = renderEval(output(), { ...PIPE, columns: 80 });
  assert.match(shown, /^R@10 {6}\.879 {2}▇{35}$/m);
  assert.ok(
    shown.split('\n').every((line) => textWidth(line) <= 80),
    shown,
  );
});

test('variants are in columns, and significant differences are marked', () => {
  const change = { metric: 'mrr', low: 0.01, high: 0.03, p: 0.01 } as const;
  const other: Variant = {
    ...variant('provider=openai', 0.9),
    mode: 'hybrid',
    provider: 'openai',
    model: 'm',
    fellBack: 2,
    differences: [
      { ...change, difference: 0.021, beyondChance: true },
      { ...change, metric: 'ndcg', difference: -0.021, beyondChance: false },
    ],
  };
  const text = renderEval(output({ variants: [variant('as configured', 0.879), other] }), PIPE);
  assert.match(text, /^provider=openai +4 +\.900/m);
  assert.match(text, /^ +\+\.021\* +−\.021$/m);
  assert.match(
    text,
    /^provider=openai: keyword and openai m \(2 questions answered by keyword only\)$/m,
  );
});

test('misses are listed under their questions, up to the limit; names cannot forge lines', () => {
  const miss = { id: 'a', question: 'bell\u001b[2J\nrings', expected: 'a.md#L3' };
  const misses: EvalOutput['misses'] = [
    { ...miss, why: 'outranked', place: 12, above: [{ citation: 'b.md#L1-L9', score: 0.71 }] },
    { ...miss, why: 'not-a-candidate', place: null, ranked: 40 },
    { ...miss, id: 'b', why: 'below-min-score', place: 2, score: 0.05 },
  ];
  const text = renderEval(output({ misses }), { ...PIPE, misses: 2 });
  const few = [0, 1].map(
    (ranked) => ({ ...miss, why: 'not-a-candidate', place: null, ranked }) as const,
  );
  const ofFew = renderEval(output({ misses: few }), { ...PIPE, misses: 2 });
  assert.match(ofFew, /no chunk matches the question\n.+not among the 1 ranked chunk, nor/);
  assert.match(text, /^3 misses in 2 questions: 1 outranked, 1 not a candidate, 1 below/m);
  assert.match(text, /^ {2}bell\\e\[2J\\nrings$/m);
  assert.match(text, /^ {4}a\.md#L3 {2}rank 12, below b\.md#L1-L9 \(\.710\) …$/m);
  assert.match(
    text,
    /40 ranked chunks, nor in a wider search\n {2}1 more; use --misses to list them$/m,
  );
  assert.not.ok(text.includes('\u001b'));
});

test('a drop against the baseline is named', () => {
  const baseline = {
    ...{ file: '/b.json', margin: 0.01, shared: 3, added: 1, gone: 2 },
    before: metrics(0.9),
    now: metrics(0.8),
    drops: [{ metric: 'recall', before: 0.9, now: 0.8 }],
  };
  const text = renderEval(output({ baseline, written: '/new.json' }), PIPE);
  assert.match(
    text,
    /^baseline \/b\.json: 3 questions in common, 1 not in it, 2 no longer asked$/m,
  );
  assert.match(text, /^ {2}R@10 dropped from \.900 to \.800$/m);
  assert.match(text, /^baseline written: \/new\.json$/m);
});

test('the number of drafts is reported, also if there are fewer than requested, or none', () => {
  assert.match(renderDrafts(4, 4, undefined), /^4 questions drafted\n/);
  assert.match(
    renderDrafts(3, 4, '/q'),
    /^3 questions drafted, as many as the notes allow; written/,
  );
  assert.match(renderDrafts(0, 4, undefined), /^no questions drafted/);
});

test('the progress line fits the terminal, redraws now and then, and is removed at the end', () => {
  let written: string[] = [];
  let atMs = 0;
  const line = createEvalProgress((text) => written.push(text), {
    style: createStyle(false),
    columns: 50,
    now: () => atMs,
  });
  const ask = (done: number): void =>
    line.onEvent({ type: 'question.asked', name: 'provider=something-long', done, all: 100 });
  ask(1);
  ask(2);
  assert.is(written.length, 1, 'the next draw is due in a while');
  atMs = 200;
  ask(50);
  assert.match(written[1] ?? '', /asking {2}█{10}░{10} {2}50\/100 {2}provid/);
  for (const text of written) assert.ok(textWidth(text.replace('\r\u001B[2K', '')) < 50);
  written = [];
  line.clear();
  line.clear();
  assert.equal(written, ['\r\u001B[2K']);
});

test.run();
