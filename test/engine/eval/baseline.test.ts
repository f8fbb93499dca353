import { writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  compareWithBaseline,
  readBaseline,
  writeBaseline,
} from '../../../src/engine/eval/baseline.js';
import type { Metrics } from '../../../src/engine/eval/metrics.js';
import { failureOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('baselines');
const HOW = { maxResults: 10, minScore: undefined };

function metrics(share: number): Metrics {
  return {
    recall5: share,
    recall: share,
    mrr: share,
    ndcg: share,
    hit5: 1,
    hit: 1,
    evidence: null,
    seen: null,
    evidence4k: null,
    none: 0,
    characters: 10,
  };
}

function run(shares: Readonly<Record<string, number>>) {
  return Object.entries(shares).map(([id, share]) => ({
    question: { id },
    metrics: metrics(share),
  }));
}

function written(shares: Readonly<Record<string, number>>) {
  const file = tempFolder().at('baseline.json');
  writeBaseline(file, run(shares), HOW, 0);
  return readBaseline(file, HOW);
}

test('a baseline compared with itself shows no drop, even without a margin', () => {
  const shares = { a: 1 / 3, b: 0.12345678, c: 1 };
  const verdict = compareWithBaseline(written(shares), run(shares), 0);
  assert.equal([verdict.drops, verdict.shared, verdict.added, verdict.gone], [[], 3, 0, 0]);
});

test('a drop counts beyond the margin, and only over questions that both have', () => {
  const baseline = written({ a: 1, b: 0.8, old: 0 });
  const now = run({ a: 1, b: 0.7, fresh: 0 });
  assert.equal(compareWithBaseline(baseline, now, 0.06).drops, []);
  const verdict = compareWithBaseline(baseline, now, 0.04);
  assert.equal([verdict.shared, verdict.added, verdict.gone], [2, 1, 1]);
  assert.equal(
    verdict.drops.map(({ metric }) => metric),
    ['recall5', 'recall', 'mrr', 'ndcg'],
  );
  const [drop] = verdict.drops;
  assert.ok(Math.abs((drop?.before ?? 0) - 0.9) < 1e-9);
  assert.ok(Math.abs((drop?.now ?? 0) - 0.85) < 1e-9);
});

test('a baseline of other questions, of other asking, or of nothing is refused', async () => {
  const other = await failureOf(
    (async () => compareWithBaseline(written({ a: 1 }), run({ b: 1 }), 0))(),
  );
  assert.is(other.code, 'EVAL_BASELINE_INVALID');
  const file = tempFolder().at('baseline.json');
  writeBaseline(file, run({ a: 1 }), HOW, 0);
  const asked = await failureOf(
    (async () => readBaseline(file, { maxResults: 5, minScore: undefined }))(),
  );
  assert.match(asked.message, /was written with --max-results 10$/);
  writeFileSync(file, '{"format": "something"}');
  const broken = await failureOf((async () => readBaseline(file, HOW))());
  assert.match(broken.message, /not a baseline file/);
  const missing = await failureOf((async () => readBaseline(`${file}.not`, HOW))());
  assert.is(missing.code, 'EVAL_BASELINE_INVALID');
});

test.run();
