import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ProgressNote, progressNotes } from '../../../src/engine/mcp/tools/register-tools.js';
import type { SyncEvent } from '../../../src/engine/memory/sync/events.js';

const test = suite('progress for a client that waits');

function notesOf(events: readonly SyncEvent[], stepMs: number): readonly ProgressNote[] {
  const notes: ProgressNote[] = [];
  let nowMs = 0;
  const tell = progressNotes({ notify: (note) => notes.push(note), now: () => nowMs });
  for (const event of events) {
    tell(event);
    nowMs += stepMs;
  }
  return notes;
}

const scan = {
  type: 'scan.finished',
  files: 9,
  bytes: 9,
  filesToIndex: 2,
  workToIndex: 9,
} as const;
const indexed = (path: string) => ({ type: 'document.indexed', path, work: 1, chunks: 1 }) as const;
const embedding = {
  ...({ type: 'embed.started', provider: 'p', model: 'm', passages: 5, known: 0 } as const),
};

test('counts files, then passages, and never decreases', () => {
  const events = [
    ...[scan, indexed('a.md'), indexed('b.md'), embedding],
    ...([
      { type: 'embed.stored', passages: 3 },
      { type: 'embed.stored', passages: 2 },
    ] as const),
  ];
  assert.equal(notesOf(events, 1000), [
    { progress: 1, total: 2, message: 'indexing a.md' },
    { progress: 2, total: 2, message: 'indexing b.md' },
    { progress: 5, total: 7, message: 'embedding passages' },
    { progress: 7, total: 7, message: 'embedding passages' },
  ]);
});

test('does not flood a client', () => {
  const events = Array.from({ length: 1000 }, (_, at) => indexed(`${at}.md`));
  assert.is(notesOf(events, 1).length, 5);
});

test('has no total before one is known', () => {
  assert.equal(notesOf([indexed('a.md')], 1), [{ progress: 1, message: 'indexing a.md' }]);
});

test.run();
