import { createHash } from 'node:crypto';
import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MediaSelection } from '../../../../src/engine/memory/sources/media.js';
import { inspectMedia } from '../../../../src/engine/memory/sync/load-media.js';
import type { SkippedFile } from '../../../../src/engine/memory/types.js';
import { aac, isoMedia, jpeg, MEDIA_FORMATS, mp3, png, wav } from '../../../support/media-files.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('detecting media by content');

const folder = tempFolder();
const SELECTION: MediaSelection = {
  modalities: new Set(['image', 'audio']),
  maxFileBytes: 10_000_000,
};

function inspect(path: string, selection = SELECTION) {
  return inspectMedia({ absolutePath: folder.at(path), path }, selection);
}

function inspectBytes(path: string, bytes: Buffer | string) {
  writeFileSync(folder.at(path), bytes);
  return inspect(path);
}

async function skipOf(work: ReturnType<typeof inspect>): Promise<SkippedFile> {
  const outcome = await work;
  if (!('reason' in outcome)) throw new Error('it was taken');
  return outcome;
}

for (const [extension, { make, mimeType }] of Object.entries(MEDIA_FORMATS)) {
  test(`.${extension} is ${mimeType}, in capital letters too`, async () => {
    const bytes = make('a harbour at dusk');
    assert.ok(bytes.length < 2048);
    for (const name of [`a.${extension}`, `B.${extension.toUpperCase()}`]) {
      const outcome = await inspectBytes(name, bytes);
      if ('reason' in outcome) throw new Error(JSON.stringify(outcome));
      assert.is(outcome.mimeType, mimeType);
      assert.is(outcome.hash, createHash('sha256').update(bytes).digest('hex'));
      assert.is(outcome.fingerprint.size, bytes.length);
    }
  });
}

test('content overrides the name: a JPEG called .png is sent as a JPEG', async () => {
  const outcome = await inspectBytes('photo.png', jpeg('a dog'));
  assert.is('mimeType' in outcome && outcome.mimeType, 'image/jpeg');
});

test('a file that is not a picture or recording is reported, whatever its name', async () => {
  const cases: readonly (readonly [string, Buffer | string, RegExp])[] = [
    ['notes.png', 'just some words', /unknown format/],
    ['page.jpg', '<html><body>not found</body></html>', /./],
    ['paper.png', '%PDF-1.7\n', /application\/pdf/],
    ['song.png', mp3('a song'), /audio\/mpeg/],
    ['photo.mp3', png('a cat'), /image\/png/],
    ['empty.wav', '', /empty/],
    ['film.m4a', isoMedia('isom', 'a film', ['soun', 'vide']), /video/],
    ['film.heic', isoMedia('isom', 'a film', ['vide']), /video\/mp4/],
  ];
  for (const [name, bytes, detail] of cases) {
    const skip = await skipOf(inspectBytes(name, bytes));
    assert.is(skip.reason, 'wrong_format', name);
    assert.match(skip.detail ?? '', detail, name);
    assert.is(skip.path, name);
  }
});

test('a recorder’s general MP4 without a video track is a recording', async () => {
  const outcome = await inspectBytes('memo.m4a', isoMedia('mp42', 'a memo', ['soun']));
  assert.is('mimeType' in outcome && outcome.mimeType, 'audio/mp4');
});

test('a video track is found wherever it begins in the file', async () => {
  const film = isoMedia('isom', 'a film', ['vide']);
  for (const lead of [0, 256 * 1024 - 12, 256 * 1024 - 60, 600_000]) {
    const start = film.subarray(0, 20);
    const bytes = Buffer.concat([start, Buffer.alloc(lead), film.subarray(20)]);
    assert.match((await skipOf(inspectBytes('long.m4a', bytes))).detail ?? '', /video/);
  }
});

test('a recording behind a large cover image is recognised by its header', async () => {
  const cover = Buffer.alloc(700_000);
  const header = Buffer.from([0x49, 0x44, 0x33, 3, 0, 0, 0, 0x2a, 0x5c, 0x60]);
  const frames = mp3('x').subarray(-416);
  const outcome = await inspectBytes('song.mp3', Buffer.concat([header, cover, frames]));
  assert.is('mimeType' in outcome && outcome.mimeType, 'audio/mpeg');
});

test('a file over the limit is reported without being read', async () => {
  writeFileSync(folder.at('big.wav'), wav('x'));
  const skip = await skipOf(inspect('big.wav', { ...SELECTION, maxFileBytes: 100 }));
  assert.equal([skip.reason, /100/.test(skip.detail ?? '')], ['too_large', true]);
});

test('a vanished or unreadable file, a link and a folder are each reported as such', async () => {
  writeFileSync(folder.at('gone.png'), png('x'));
  rmSync(folder.at('gone.png'));
  assert.is((await skipOf(inspect('gone.png'))).reason, 'vanished');
  writeFileSync(folder.at('real.png'), png('x'));
  symlinkSync(folder.at('real.png'), folder.at('link.png'));
  assert.is((await skipOf(inspect('link.png'))).reason, 'symlink');
  folder.write('outside/x.png', png('x'));
  symlinkSync('outside', folder.at('swapped'));
  assert.is((await skipOf(inspect('swapped/x.png'))).reason, 'symlink');
  folder.write('folder.png/x.txt', '');
  assert.is((await skipOf(inspect('folder.png'))).reason, 'unreadable');
  if (process.getuid?.() === 0) return;
  chmodSync(folder.at('real.png'), 0);
  assert.is((await skipOf(inspect('real.png'))).reason, 'permission_denied');
});

test('any truncated file gets an answer, never a failure', async () => {
  for (const bytes of [png('x'), mp3('x'), aac('x'), isoMedia('M4A ', 'x', ['soun'])]) {
    for (let length = 0; length < bytes.length; length += 7) {
      const outcome = await inspectBytes('cut.png', bytes.subarray(0, length));
      assert.ok(!('reason' in outcome) || outcome.reason === 'wrong_format', String(length));
    }
  }
});

test.run();
