import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gistOf } from '../../../../src/engine/dreaming/claims/gist.js';
import { relate } from '../../../../src/engine/dreaming/claims/relate.js';
import { eachWithRelated } from '../../../../src/engine/dreaming/scoring/score.js';

const test = suite('claims that may be related');

const subjects = fc.constantFrom(
  'Ana',
  'the billing service',
  'the search service',
  'the nightly billing backup',
  'the backup',
  'we',
  "Ana's phone number",
  'the Acme team',
);
const verbs = fc.constantFrom(
  'lives in',
  'moved from Berlin to',
  'listens on port',
  'runs at',
  'uses',
  'no longer uses',
  'switched to',
  'is owned by',
  'keeps logs for',
  'now works with',
);
const values = fc.constantFrom(
  ...['Berlin', 'Acme', 'Ana', '7443', '7555', '02:30', '30 days', 'Vim', 'the backup', 'Mondays'],
);
const claim = fc
  .tuple(subjects, verbs, values, fc.constantFrom('', ' on Tuesdays', ' and Porto', ' at Acme'))
  .map(([subject, verb, value, more]) => `${subject} ${verb} ${value}${more}.`);

test('no pair is left out that is related, and each claim gets the others in order', () => {
  fc.assert(
    fc.property(fc.array(claim, { minLength: 2, maxLength: 30 }), (texts) => {
      const items = texts.map((text) => ({ text, gist: gistOf(text) }));
      const lists = [...eachWithRelated(items)];
      assert.equal(
        lists.map(([one]) => one.text),
        texts,
      );
      for (const [one, alike] of lists) {
        const related = items.filter(
          (other) => other !== one && relate(one.gist, other.gist) !== 'other',
        );
        const left = alike.filter((other) => related.includes(other));
        assert.equal(left, related);
        assert.not(alike.includes(one));
      }
    }),
  );
});

test('claims that only have a word in common are not compared', () => {
  const items = Array.from({ length: 50 }, (_, n) => {
    const text = `The server ${n} of customer ${n + 100} listens on port ${7000 + n}.`;
    return { gist: gistOf(text) };
  });
  for (const [, alike] of eachWithRelated(items)) assert.equal(alike, []);
});

test.run();
