import { rmSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { getOutputSchema } from '../../../../src/engine/memory/get/output-schemas.js';
import { getOutput } from '../../../../src/engine/memory/output.js';
import { renderGet } from '../../../../src/ui/memory/get.js';
import { createStyle } from '../../../../src/ui/style.js';
import { failureOf } from '../../../support/failure.js';
import { backendOn } from '../../../support/memory.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { message, transcriptPlace, transcriptTarget } from '../../../support/transcripts.js';

const test = suite('reading turns of a transcript');

const TURN = message('user', 'a short turn');

/** A memory of one transcript with these lines. */
function memoryOf(lines: readonly string[]) {
  const sessions = tempFolder();
  const file = sessions.write('talk.jsonl', lines.join(''));
  const backend = backendOn(transcriptTarget(tempFolder().path, [transcriptPlace(sessions.path)]));
  return { backend, file };
}

function conversation() {
  const lines = Array.from({ length: 30 }, (_, n) =>
    n % 3 === 2
      ? message('toolResult', `noise ${n + 1}`)
      : message(n % 3 === 0 ? 'user' : 'assistant', `turn ${n + 1}\nin two lines`),
  );
  return memoryOf(lines);
}

test('a citation comes with the turns around it', async () => {
  const { backend, file } = conversation();
  const part = await backend.get({ target: 'sessions/main/talk.jsonl#L13-L14' });
  assert.equal(
    part.turns?.map(({ line, role, asked }) => `${line} ${role} ${asked}`),
    [
      '10 user false',
      '11 assistant false',
      '13 user true',
      '14 assistant true',
      '16 user false',
      '17 assistant false',
    ],
  );
  assert.is(part.turns?.[2]?.text, 'turn 13\nin two lines');
  assert.is(part.turns?.[2]?.at, '2026-02-03T04:05:06.000Z');
  assert.equal(
    [part.startLine, part.endLine, part.totalLines, part.truncated, part.absolutePath],
    [10, 17, 30, false, file],
  );
  assert.is(part.text.split('\n')[2], '[2026-02-03T04:05:06.000Z] User: turn 13 in two lines');
  getOutputSchema.parse({ ...getOutput(part), warnings: [] });
  // Also if the cited lines have none.
  const noise = await backend.get({ target: 'sessions/main/talk.jsonl#L6' });
  assert.equal(
    noise.turns?.map(({ line }) => line),
    [4, 5, 7, 8],
  );
});

test('the requested lines are returned', async () => {
  const { backend } = conversation();
  const linesOf = async (from?: number, lines?: number): Promise<unknown> => {
    const part = await backend.get({
      target: 'sessions/main/talk.jsonl',
      ...(from === undefined ? {} : { from }),
      ...(lines === undefined ? {} : { lines }),
    });
    return [part.startLine, part.endLine, part.turns?.map(({ line }) => line)];
  };
  assert.equal(await linesOf(4, 3), [4, 6, [4, 5]]);
  assert.equal(await linesOf(6, 1), [6, 6, []]);
  assert.equal(await linesOf(28), [28, 30, [28, 29]]);
  const all = await backend.get({ target: 'sessions/main/talk.jsonl' });
  assert.equal([all.startLine, all.endLine, all.turns?.length], [1, 30, 20]);
  for (const [line, target] of [
    [31, 'sessions/main/talk.jsonl#L31'],
    [0, 'sessions/main/talk.jsonl#L0'],
    [0, 'sessions/main/talk.jsonl#L0-L2'],
  ] as const) {
    const { code, message } = await failureOf(backend.get({ target }));
    assert.is(code, 'RANGE_INVALID');
    assert.is(message, `sessions/main/talk.jsonl has 30 lines, so there is no line ${line}`);
  }
});

test('a long conversation is returned in parts', async () => {
  const { backend } = memoryOf([message('user', 'again').repeat(300)]);
  const first = await backend.get({ target: 'sessions/main/talk.jsonl' });
  assert.equal([first.endLine, first.truncated], [120, true]);
  const second = await backend.get({ target: 'sessions/main/talk.jsonl', from: first.endLine + 1 });
  assert.equal([second.startLine, second.endLine, second.truncated], [121, 240, true]);
});

test('after a turn that fills the limit, the next request returns the rest', async () => {
  const long = 'a long paste '.repeat(20_000);
  const { backend } = memoryOf([
    message('user', long),
    message('assistant', 'noted'),
    message('user', 'thanks'),
  ]);
  const linesOf = async (target: string, from?: number) => {
    const part = await backend.get({ target, ...(from === undefined ? {} : { from, lines: 9 }) });
    return [part.turns?.map(({ line }) => line), part.endLine, part.truncated];
  };
  const talk = 'sessions/main/talk.jsonl';
  assert.equal(await linesOf(talk), [[1], 1, true]);
  assert.equal(await linesOf(talk, 1), [[1], 1, true]);
  assert.equal(await linesOf(talk, 2), [[2, 3], 3, false]);
  assert.equal(await linesOf(`${talk}#L1`), [[1], 1, false]);
  assert.equal(await linesOf(`${talk}#L1-L3`), [[1], 1, true]);
});

test('long turns before a citation do not take its place', async () => {
  const long = message('user', 'a long paste '.repeat(5000));
  const { backend } = memoryOf([...Array(9).fill(long), TURN, TURN, TURN]);
  const part = await backend.get({ target: 'sessions/main/talk.jsonl#L11' });
  assert.equal(
    part.turns?.map(({ line, asked }) => [line, asked]),
    [
      [9, false],
      [10, false],
      [11, true],
      [12, false],
    ],
  );
});

test('only indexed transcripts are read, and none through a link', async () => {
  const { backend, file } = conversation();
  assert.is((await failureOf(backend.get({ target: file }))).code, 'DOCUMENT_NOT_INDEXED');
  await backend.sync({});
  const elsewhere = tempFolder().write('secret.jsonl', message('user', 'not for you'));
  rmSync(file);
  symlinkSync(elsewhere, file);
  const failure = await failureOf(backend.get({ target: 'sessions/main/talk.jsonl' }));
  assert.ok(['DOCUMENT_NOT_INDEXED', 'DOCUMENT_UNREADABLE'].includes(failure.code));
});

test('secrets are masked here, too', async () => {
  const secret = 'use ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const { backend } = memoryOf([message('user', secret)]);
  const part = await backend.get({ target: 'sessions/main/talk.jsonl#L1' });
  assert.not(JSON.stringify(part).includes('ghp_'));
});

test('text output shows who said what when, and marks the context', async () => {
  const { backend } = conversation();
  const part = await backend.get({ target: 'sessions/main/talk.jsonl#L13' });
  const shown = renderGet(part, { style: createStyle(false), lineNumbers: true, escape: true });
  assert.ok(shown.includes('#L13  User  2026-02-03 04:05 UTC\nturn 13\nin two lines\n'), shown);
});

test.run();
