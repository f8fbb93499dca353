import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { claimKeyOf } from '../../../src/engine/dreaming/claims/claim-words.js';
import { findClaim, requireClaim } from '../../../src/engine/dreaming/decide-by-hand.js';
import { dreamWorkspace } from '../../../src/engine/dreaming/dream-workspace.js';
import { claimPassage } from '../../../src/engine/dreaming/explain-claim.js';
import { withSignal } from '../../../src/engine/dreaming/scoring/recall-entry.js';
import {
  openDreamDatabase,
  openDreams,
} from '../../../src/engine/dreaming/store/dream-database.js';
import { recallEntries } from '../../../src/engine/dreaming/store/recall-entries.js';
import { openSources } from '../../../src/engine/dreaming/sweep/dream-sources.js';
import { SvcError } from '../../../src/engine/errors/index.js';
import { NOTES_ONLY } from '../../support/dreams.js';
import { folderOf, tempFolder } from '../../support/temp-folder.js';

const BACKUP = 'The nightly backup of the storage server runs at 02:30.';
const SERVER = 'The storage server stands in Graz.';

function entryOf(text: string, line: number) {
  return withSignal(undefined, {
    kind: 'recall',
    key: claimKeyOf(text),
    text,
    source: 'memory',
    path: 'memory/2026-11-18.md',
    startLine: line,
    endLine: line,
    score: 0.9,
    atMs: 0,
    day: '2026-11-18',
    queryHash: 'a',
  });
}

const entries = recallEntries(openDreamDatabase(tempFolder().at('dreams.sqlite')));
const backup = entryOf(BACKUP, 3);
for (const entry of [backup, entryOf(SERVER, 4)]) entries.put(entry);

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
  return 'none';
}

test('a claim is found by its key, the beginning of it, and its words in any case', () => {
  for (const find of [findClaim, requireClaim]) {
    for (const wanted of [backup.key, backup.key.slice(0, 6), BACKUP.toUpperCase()]) {
      assert.is(find(entries, wanted).text, BACKUP, wanted);
    }
  }
});

test('a part of the claim is enough to show it, but not to decide', () => {
  assert.is(findClaim(entries, 'nightly backup').text, BACKUP);
  assert.is(findClaim(entries, 'where does the storage server stand').text, SERVER);
  assert.is(
    codeOf(() => requireClaim(entries, 'nightly backup')),
    'DREAM_CLAIM_UNKNOWN',
  );
});

test('an unknown claim is an error, also without any claims', () => {
  const nothing = openDreams(dreamWorkspace('/nowhere', { stateDir: tempFolder().path }));
  for (const wanted of ['coffee', '?!', '', 'abcd']) {
    assert.is(
      codeOf(() => findClaim(entries, wanted)),
      'DREAM_CLAIM_UNKNOWN',
      wanted,
    );
    assert.is(
      codeOf(() => findClaim(nothing.entries, wanted)),
      'DREAM_CLAIM_UNKNOWN',
      wanted,
    );
  }
});

test('its passage is read again, wherever it moved in the note', async () => {
  const reads = (dir: string) => openSources({ workspace: { dir }, agentSources: NOTES_ONLY });
  const note = (text: string) => reads(folderOf({ 'memory/2026-11-18.md': text }).path);
  const moved = claimPassage(backup, await note(`# Day\n\nNew.\n\n- ${BACKUP}\n- Last.\n`), 1);
  assert.equal(moved, {
    state: 'found',
    startLine: 4,
    lines: ['', `- ${BACKUP}`, '- Last.'],
    claim: { ...moved.claim, startLine: 5, endLine: 5 },
  });
  const changed = claimPassage(backup, await note(`- ${BACKUP.replace('02:30', '03:30')}\n`), 1);
  assert.equal([changed.state, changed.claim?.startLine], ['changed', 1]);
  const gone = claimPassage(backup, await note('Nothing.\n'), 1);
  assert.equal([gone.state, gone.claim], ['missing', undefined]);
  assert.equal(claimPassage(backup, await reads(tempFolder().path), 1).lines, []);
});

test.run();
