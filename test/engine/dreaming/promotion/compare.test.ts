import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimKeyOf } from '../../../../src/engine/dreaming/claims/claim-words.js';
import { compareClaim, knownMemory } from '../../../../src/engine/dreaming/promotion/compare.js';
import { editMemory } from '../../../../src/engine/dreaming/promotion/memory-file.js';
import { relocateClaim } from '../../../../src/engine/dreaming/sweep/check-claim.js';
import { noteText } from '../../../../src/engine/dreaming/sweep/conversations.js';

const PROMOTED = 'The nightly backup of the storage server runs at 02:30.';
const MEMORY = editMemory(
  '# Mine\n\n- Ana prefers short answers without any lists.\n',
  [
    {
      kind: 'add',
      text: PROMOTED,
      entry: {
        key: claimKeyOf(PROMOTED),
        sweepId: 'S1',
        path: 'memory/2026-11-18.md',
        lines: { startLine: 1, endLine: 1 },
        score: 0.8,
        recalls: 4,
      },
    },
  ],
  '2026-11-18',
).text;

const compared = (text: string) => compareClaim(text, knownMemory(MEMORY), 0.25);

test('the entry itself is present', () => {
  assert.equal(compared(PROMOTED), { verdict: 'present' });
});

test('a claim that is already in the file is not added', () => {
  assert.equal(compared('Ana prefers short answers.'), { verdict: 'said' });
  assert.equal(compared('The backup runs nightly at 02:30.'), { verdict: 'said' });
});

test('a claim that the file denies is not added', () => {
  const verdict = (claim: string, memory: string) =>
    compareClaim(claim, knownMemory(memory), 0.25).verdict;
  const [does, doesNot] = ['The importer handles tabs.', 'The importer does not handle tabs.'];
  assert.is(verdict(doesNot, `- ${does}\n`), 'new');
  assert.is(verdict(does, `- ${doesNot}\n`), 'new');
  assert.is(verdict('Deploy from main.', 'Deploy from main. Never deploy on Fridays.\n'), 'said');
});

test('a new number in the same statement updates the entry', () => {
  assert.equal(compared('The nightly backup of the storage server runs at 03:15.'), {
    verdict: 'renews',
    prior: claimKeyOf(PROMOTED),
  });
});

test('a number that names the subject makes a different statement', () => {
  const pairs = [
    ['Server 1 is in room 5.', 'Server 2 is in room 5.'],
    ['Invoice 1001 was paid by Ana.', 'Invoice 1002 was paid by Ana.'],
    [
      'The printer number 1 is called Heron and is in the hall.',
      'The printer number 2 is called Heron and is in the hall.',
    ],
  ] as const;
  for (const [said, claim] of pairs) {
    const entry = { key: claimKeyOf(said), path: 'memory/a.md', recalls: 1, score: 0.8 };
    const lines = { startLine: 1, endLine: 1 };
    const added = { kind: 'add', text: said, entry: { ...entry, sweepId: 'S1', lines } } as const;
    const known = knownMemory(editMemory('', [added], '2026-11-18').text);
    assert.equal(compareClaim(claim, known, 0.25), { verdict: 'new' }, claim);
  }
});

test('a claim that would lose too much of an entry is added next to it', () => {
  assert.equal(compared('The nightly backup at 02:30 needs 40 minutes and mails Ana.'), {
    verdict: 'new',
  });
});

test('something else is new', () => {
  assert.equal(compared('The router has the address 10.0.0.1.'), { verdict: 'new' });
});

const CLAIM = { key: claimKeyOf(PROMOTED), text: PROMOTED };

test('a claim that is struck through is no longer in its note', () => {
  assert.is(relocateClaim(noteText(`- ~~${PROMOTED}~~\n`), CLAIM).state, 'changed');
  assert.is(relocateClaim(noteText(`- ~~${PROMOTED}~~\n- ${PROMOTED}\n`), CLAIM).state, 'found');
});

test('a claim is found wherever its lines moved to', () => {
  const note = `# Day\n\nNew above.\n\n- ${PROMOTED}\n`;
  const found = relocateClaim(noteText(note), CLAIM);
  assert.is(found.state, 'found');
  assert.is(found.state === 'found' && found.claim.startLine, 5);
});

test('a claim that was edited in its note is changed; one that is gone is missing', () => {
  const changed = relocateClaim(
    noteText('- The nightly backup of the storage server runs at 04:00.\n'),
    CLAIM,
  );
  assert.is(changed.state, 'changed');
  // Of two, the closest.
  const closest = `- ${PROMOTED.replace('02:30', '02:30 UTC')}\n`;
  const further = `- ${PROMOTED.replace('02:30', '04:00')}\n`;
  for (const note of [closest + further, further + closest]) {
    const of = relocateClaim(noteText(note), CLAIM);
    assert.match(of.state === 'changed' ? of.closest.text : '', 'UTC', note);
  }
  assert.equal(relocateClaim(noteText('# Day\n\n- Tea.\n'), CLAIM), { state: 'missing' });
});

test.run();
