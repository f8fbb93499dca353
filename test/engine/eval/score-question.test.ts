import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QUALITY_NAMES } from '../../../src/engine/eval/metrics.js';
import {
  type ScoredResult,
  scoreQuestion,
  type Target,
} from '../../../src/engine/eval/score-question.js';

const test = suite('metrics of a question');

function result(path: string, startLine = 1, endLine = 9, snippet = ''): ScoredResult {
  return { path, startLine, endLine, snippet };
}

function line(path: string, number: number, text = 'one two three four'): Target {
  return { kind: 'lines', path, startLine: number, endLine: number, lineTexts: [text] };
}

function near(actual: number | null, expected: number): void {
  assert.ok(actual !== null && Math.abs(actual - expected) < 1e-9, `${actual}, not ${expected}`);
}

test('two files of three, at the second and fourth place', () => {
  const results = ['x', 'a', 'a', 'y', 'b', 'z'].map((path) => result(path));
  const targets: Target[] = ['a', 'b', 'c'].map((path) => ({ kind: 'file', path }));
  const metrics = scoreQuestion(results, targets, 10);
  near(metrics.recall5, 2 / 3);
  near(metrics.recall, 2 / 3);
  near(metrics.mrr, 1 / 2);
  // Gains at places 2 and 4 of 1/log2(3) and 1/log2(5); at best at 1, 2 and 3.
  near(metrics.ndcg, (0.6309297536 + 0.4306765581) / (1 + 0.6309297536 + 0.5));
  assert.equal([metrics.hit5, metrics.hit, metrics.none], [1, 1, 0]);
  assert.equal([metrics.evidence, metrics.seen, metrics.evidence4k], [null, null, null]);
});

test('places are those of distinct files: five passages of one file leave room for four more', () => {
  const results = ['a', 'a', 'a', 'a', 'a', 'b'].map((path) => result(path));
  const metrics = scoreQuestion(results, [{ kind: 'file', path: 'b' }], 10);
  assert.equal([metrics.recall5, metrics.mrr, metrics.hit5, metrics.hit], [1, 0.5, 0, 1]);
});

test('the first five are five files', () => {
  const results = ['u', 'v', 'w', 'x', 'a', 'b'].map((path) => result(path));
  const targets: Target[] = ['a', 'b'].map((path) => ({ kind: 'file', path }));
  const { recall5, recall } = scoreQuestion(results, targets, 10);
  assert.equal([recall5, recall], [0.5, 1]);
});

test('a text is found in either form of Unicode', () => {
  const text = 'caf\u00e9 in Z\u00fcrich';
  const targets: Target[] = [{ kind: 'text', text }];
  const results = [result('a', 1, 9, `Das ${text.normalize('NFD')}.`)];
  assert.is(scoreQuestion(results, targets, 10).hit, 1);
});

test('a line counts when a range covers it, and is seen when half of its word triples are shown', () => {
  const results = [
    result('a', 1, 4, 'alpha beta gamma delta'),
    result('a', 20, 30, 'something else'),
  ];
  const targets = [line('a', 3, 'Alpha, beta; gamma: delta!'), line('a', 12), line('a', 25)];
  const metrics = scoreQuestion(results, targets, 10);
  near(metrics.evidence, 2 / 3);
  near(metrics.evidence4k, 1 / 3);
  assert.equal([metrics.seen, metrics.hit, metrics.recall, metrics.ndcg], [1, 1, 1, 1]);
});

test('what stands after 4,000 characters is seen and not read early', () => {
  const results = [result('a', 1, 9, 'x '.repeat(2100)), result('a', 20, 20, 'red green blue')];
  const metrics = scoreQuestion(results, [line('a', 20, 'red green blue')], 10);
  assert.equal([metrics.seen, metrics.evidence4k, metrics.evidence], [1, 0, 1]);
});

test('a text is found with the file of the first result that shows it; short ones too', () => {
  const results = [result('a', 1, 9, 'nothing'), result('b', 1, 9, 'the Blue  estate\nis here')];
  const metrics = scoreQuestion(results, [{ kind: 'text', text: 'blue estate' }], 10);
  assert.equal([metrics.mrr, metrics.recall, metrics.evidence, metrics.hit], [0.5, 1, 1, 1]);
  const missing = scoreQuestion(results, [{ kind: 'text', text: 'estate blue' }], 10);
  assert.equal([missing.mrr, missing.recall, missing.evidence], [0, 0, 0]);
});

test('of several lines blank ones are no evidence', () => {
  const lineTexts = ['red green blue', '', '---', 'one two three'];
  const target: Target = { kind: 'lines', path: 'a', startLine: 5, endLine: 8, lineTexts };
  near(scoreQuestion([result('a', 5, 6)], [target], 10).evidence, 1 / 2);
});

test('more is expected than results were asked for: the best order is still the best', () => {
  const targets: Target[] = Array.from({ length: 5 }, (_, at) => ({ kind: 'file', path: `${at}` }));
  const results = targets.slice(0, 3).map((_, at) => result(`${at}`));
  const metrics = scoreQuestion(results, targets, 3);
  near(metrics.ndcg, 1);
  near(metrics.recall, 3 / 5);
});

test('nothing found is nothing', () => {
  const metrics = scoreQuestion([], [line('a', 1)], 10);
  const names = QUALITY_NAMES.map((name) => metrics[name]);
  assert.equal(
    names,
    QUALITY_NAMES.map(() => 0),
  );
  assert.is(metrics.none, 1);
});

const paths = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const words = fc.array(fc.constantFrom('red', 'green', 'blue', 'old', 'new'), { maxLength: 12 });
const anyResults = fc.array(
  fc.record({ path: paths, start: fc.nat(20), length: fc.nat(20), words }).map((one) => ({
    path: one.path,
    startLine: one.start + 1,
    endLine: one.start + 1 + one.length,
    snippet: one.words.join(' '),
  })),
  { maxLength: 12 },
);
const anyTarget: fc.Arbitrary<Target> = fc.oneof(
  paths.map((path): Target => ({ kind: 'file', path })),
  fc
    .record({ path: paths, start: fc.nat(30), texts: fc.array(words, { minLength: 1 }) })
    .map(({ path, start, texts }): Target => {
      const lineTexts = texts.map((line) => line.join(' '));
      const startLine = start + 1;
      return { kind: 'lines', path, startLine, endLine: start + texts.length, lineTexts };
    }),
  words.map((line): Target => ({ kind: 'text', text: line.join(' ') })),
);

test('every metric lies between 0 and 1, whatever is found and expected', () => {
  fc.assert(
    fc.property(
      anyResults,
      fc.array(anyTarget, { minLength: 1, maxLength: 6 }),
      (results, targets) => {
        const metrics = scoreQuestion(results, targets, 12);
        for (const name of QUALITY_NAMES) {
          const value = metrics[name] ?? 0;
          assert.ok(value >= 0 && value <= 1 + 1e-9, `${name} is ${value}`);
        }
        assert.ok(metrics.recall5 <= metrics.recall && metrics.hit5 <= metrics.hit);
        assert.ok((metrics.evidence4k ?? 0) <= 1);
      },
    ),
  );
});

test('all that is expected first, in any order, scores 1 in recall, MRR and nDCG', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(paths, { minLength: 1, maxLength: 5 }),
      fc.array(fc.constantFrom('x', 'y')),
      (relevant, rest) => {
        const results = [...relevant.toReversed(), ...rest].map((path) => result(path));
        const targets = relevant.map((path): Target => ({ kind: 'file', path }));
        const { recall5, recall, mrr, ndcg } = scoreQuestion(results, targets, 20);
        for (const value of [recall5, recall, mrr, ndcg]) near(value, 1);
      },
    ),
  );
});

test.run();
