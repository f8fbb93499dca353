import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dayOfPath, daysOfChunk } from '../../../../src/engine/memory/index/index.js';

const test = suite('days of chunks');

const day = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
const days = (first: string, last = first) => ({ first: day(first), last: day(last) });

test('a dated note has its day in its name', () => {
  assert.is(dayOfPath('memory/2026-02-03.md'), day('2026-02-03'));
  assert.is(dayOfPath('memory/2026-02-03-meeting.md'), day('2026-02-03'));
  assert.is(dayOfPath('journals/2026_02_03.md'), day('2026-02-03'));
  assert.is(dayOfPath('memory/2026-02_03.md'), undefined);
  assert.is(dayOfPath('2026-02-03/notes.md'), undefined);
  assert.is(dayOfPath('memory/2026-13-03.md'), undefined);
  assert.is(dayOfPath('notes.md'), undefined);
});

test('the name of a note goes before its headings', () => {
  const note = { source: 'memory', path: 'memory/2026-02-03.md' } as const;
  const chunk = { headingPath: ['Plan for 2026-03-01'], text: 'x' };
  assert.equal(daysOfChunk(note, chunk), days('2026-02-03'));
});

test('a journal in one file has the days of its headings', () => {
  const journal = { source: 'memory', path: 'journal.md' } as const;
  assert.equal(
    daysOfChunk(journal, { headingPath: ['Journal', '2026-02-03', 'Evening'], text: 'tea' }),
    days('2026-02-03'),
  );
  const several = { headingPath: ['Journal'], text: '## 2026-02-05\n\na\n\n## 2026-02-03\n\nb' };
  assert.equal(daysOfChunk(journal, several), days('2026-02-03', '2026-02-05'));
  assert.is(daysOfChunk(journal, { headingPath: ['Journal'], text: 'due 2026-02-03' }), undefined);
});

test('a conversation has the day of its turns, not of its file', () => {
  const conversation = { source: 'sessions', path: 'sessions/main/2026-02-03.jsonl' } as const;
  const chunk = { headingPath: ['2026-02-04'], text: 'User: # 2025-01-01' };
  assert.equal(daysOfChunk(conversation, chunk), days('2026-02-04'));
  assert.is(daysOfChunk(conversation, { ...chunk, headingPath: [] }), undefined);
});

test.run();
