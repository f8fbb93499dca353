import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requireLinear } from '../../stress/growth/growth.js';
import { allowingSvcErrors, FRAMES, PARSERS, regexSubjects } from '../../stress/growth/subjects.js';

/** Quadratic time is far beyond all bounds here, and linear time is nothing. `npm run fuzz growth` goes on. */
const MOST_CHARS = 16_384;

const tooSlow: string[] = [];

test('quadratic time is detected, and sorting is not', () => {
  const growing = { head: '', part: ' ', tail: 'x' };
  assert.throws(
    () => requireLinear((text) => void / +$/u.test(text), growing, 262_144),
    /took .* a quarter of them/u,
  );
  requireLinear((text) => void [...text].toSorted().join(''), growing, 262_144);
});

test('every parser, filter and matcher takes time in proportion to its input', () => {
  for (const { name, work, parts } of PARSERS) {
    for (const part of parts) {
      for (const frame of FRAMES) recordIfTooSlow(name, work, { ...frame, part });
    }
  }
  assert.equal(tooSlow.splice(0), []);
});

test('every regular expression takes time in proportion to its input', () => {
  for (const { name, work, parts } of regexSubjects()) {
    for (const part of parts) recordIfTooSlow(name, work, { head: '', part, tail: '\n\0' });
  }
  assert.equal(tooSlow.splice(0), []);
});

function recordIfTooSlow(
  name: string,
  work: (text: string) => void,
  growing: Parameters<typeof requireLinear>[1],
): void {
  try {
    requireLinear(allowingSvcErrors(work), growing, MOST_CHARS);
  } catch (error) {
    tooSlow.push(`${name}: ${String(error)}`);
  }
}

test.run();
