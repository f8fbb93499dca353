import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { createLog } from '../../../src/engine/serve/log/log.js';
import { isSelected, parseLogLine } from '../../../src/engine/serve/log/log-record.js';
import { followLog, readLogTail } from '../../../src/engine/serve/log/read-log.js';

import { RotatingFile } from '../../../src/engine/support/rotating-file.js';
import { failureOf } from '../../support/failure.js';
import { openFiles } from '../../support/processes.js';
import { tempFolder } from '../../support/temp-folder.js';

const LOGGING = { level: 'info', format: 'json' } as const;
const NOW = Date.parse('2026-03-02T10:00:00.000Z');

function open(file: string, more: { onProblem?: (why: string) => void } = {}) {
  return createLog(
    { level: 'info', file, logging: LOGGING },
    { clock: { now: () => NOW }, pid: 7, mask: createSecretMask(['hunter2-hunter2']), ...more },
  );
}

test('a line is one JSON object with readable level and time, in a file private to its owner', () => {
  const file = tempFolder().at('logs/serve.log');
  const { logger, close } = open(file);
  logger.child({ service: 'health' }).warn({ requestId: 'r1' }, 'slow');
  logger.debug('not at this level');
  close();
  assert.equal(JSON.parse(readFileSync(file, 'utf8')), {
    level: 'warn',
    time: '2026-03-02T10:00:00.000Z',
    pid: 7,
    service: 'health',
    requestId: 'r1',
    msg: 'slow',
  });
  assert.is(statSync(file).mode & 0o777, 0o600);
});

test('a file that another program truncated is not full before it grows again', () => {
  const folder = tempFolder();
  const file = folder.at('serve.log');
  const log = new RotatingFile(file, { maxBytes: 10, keep: 2 });
  log.write('1234567\n');
  writeFileSync(file, '');
  log.write('abcdefg\n');
  assert.not.ok(existsSync(`${file}.1`));
  log.write('hijklmn\n');
  log.close();
  assert.is(readFileSync(`${file}.1`, 'utf8'), 'abcdefg\n');
  assert.is(readFileSync(file, 'utf8'), 'hijklmn\n');
});

test('a line contains no secret, wherever it was, and stays valid JSON', () => {
  const file = tempFolder().at('serve.log');
  const { logger, close } = open(file);
  const key = `-----BEGIN PRIVATE KEY-----\n${'a1'.repeat(40)}`;
  logger.error({ err: new Error('refused hunter2-hunter2'), deep: { list: [key] } }, `got ${key}`);
  close();
  const text = readFileSync(file, 'utf8');
  assert.not.match(text, /hunter2|a1a1a1/);
  assert.is(parseLogLine(text.trim())?.level, 'error');
});

test('an error is logged with its own message, and its cause below it', () => {
  const file = tempFolder().at('serve.log');
  const { logger, close } = open(file);
  const cause = new Error('connect ECONNREFUSED');
  logger.error({ err: new Error('no answer: connect ECONNREFUSED', { cause }) }, 'failed');
  close();
  const { err } = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(
    [err.message, err.cause.message],
    ['no answer: connect ECONNREFUSED', cause.message],
  );
});

test('an unwritable log is reported once, and the number of lost lines when it recovers', () => {
  const folder = tempFolder();
  folder.write('logs', 'a file where the folder should be');
  const troubles: string[] = [];
  const { logger, close } = open(folder.at('logs/serve.log'), {
    onProblem: (why) => troubles.push(why),
  });
  for (let n = 0; n < 3; n++) logger.info('lost');
  assert.is(troubles.length, 1);
  rmSync(folder.at('logs'));
  logger.info('written');
  close();
  const records = readFileSync(folder.at('logs/serve.log'), 'utf8')
    .trim()
    .split('\n')
    .map(parseLogLine);
  assert.equal(
    records.map((record) => [record?.message, record?.fields['lost']]),
    [
      ['written', undefined],
      ['the log can be written again; some lines were lost', 3],
    ],
  );
});

test('a changed configuration moves the log and its level; a moved file is created again', () => {
  const folder = tempFolder();
  const log = open(folder.at('a.log'));
  log.logger.info('one');
  renameSync(folder.at('a.log'), folder.at('a.old'));
  log.reopen({ level: 'info', file: folder.at('a.log'), logging: LOGGING });
  log.logger.info('two');
  log.reopen({ level: 'debug', file: folder.at('b.log'), logging: LOGGING });
  log.logger.debug('three');
  log.close();
  const said = (name: string) =>
    parseLogLine(readFileSync(folder.at(name), 'utf8').trim())?.message;
  assert.equal([said('a.old'), said('a.log'), said('b.log')], ['one', 'two', 'three']);
});

test('no file exceeds its limit, the newest lines are kept, and none is split', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 4 }),
      (lengths, keep) => {
        const folder = tempFolder();
        const file = folder.at('x.log');
        const maxBytes = 100;
        const log = new RotatingFile(file, { maxBytes, keep });
        const lines = lengths.map((length, n) => `${n}:${'x'.repeat(length)}`);
        for (const line of lines) assert.ok(log.write(`${line}\n`));
        log.close();
        const names = [file, ...Array.from({ length: keep + 1 }, (_, age) => `${file}.${age + 1}`)];
        const kept = names.filter((name) => existsSync(name));
        assert.ok(kept.length <= keep + 1);
        const all = lines.reduce((sum, line) => sum + line.length + 1, 0);
        if (all > maxBytes) assert.ok(kept.length > 1);
        const texts = kept.reverse().map((name) => readFileSync(name, 'utf8'));
        for (const [at, { length }] of texts.entries()) {
          assert.ok(length <= maxBytes);
          const next = texts[at + 1];
          // The first line of the next one did not fit.
          if (next !== undefined) assert.ok(length + next.indexOf('\n') + 1 > maxBytes);
        }
        const text = texts.join('');
        const found = text.split('\n').slice(0, -1);
        assert.equal(found, lines.slice(-found.length));
        if (found.length < lines.length) assert.is(kept.length, keep + 1);
      },
    ),
    { numRuns: 40 },
  );
});

test('a line longer than the limit does not rotate an empty file', () => {
  const file = tempFolder().at('x.log');
  const log = new RotatingFile(file, { maxBytes: 10, keep: 1 });
  assert.ok(log.write(`${'x'.repeat(20)}\n`));
  assert.not(existsSync(`${file}.1`));
  assert.ok(log.write('y\n'));
  log.close();
  const texts = [`${file}.1`, file].map((name) => readFileSync(name, 'utf8'));
  assert.equal(texts, [`${'x'.repeat(20)}\n`, 'y\n']);
});

test('a closed log has no open file, and opens it again for the next line', () => {
  const file = tempFolder().at('x.log');
  const log = new RotatingFile(file);
  assert.ok(log.write('a\n'));
  log.close();
  if (process.platform === 'linux') assert.is(openFiles(file), 0);
  assert.ok(log.write('b\n'));
  assert.is(readFileSync(file, 'utf8'), 'a\nb\n');
  log.close();
});

test('a pipe or device is written to and never rotated', () => {
  // A link, so that a mistake as root would rename it, and not the device.
  const device = tempFolder().at('device');
  symlinkSync('/dev/null', device);
  const log = new RotatingFile(device, { maxBytes: 1, keep: 1 });
  assert.ok(log.write('a\n') && log.write('b\n'));
  log.close();
  assert.ok(lstatSync(device).isSymbolicLink());
  assert.not(existsSync(`${device}.1`));
});

function record(level: string, msg: string): string {
  return JSON.stringify({ level, time: '2026-03-02T10:00:00.000Z', pid: 1, msg });
}

test('the newest lines are read across rotated files, by level, including foreign lines', () => {
  const folder = tempFolder();
  const file = folder.write(
    's.log',
    `${record('info', 'c')}\nnot json\n${record('error', 'd')}\n{"half`,
  );
  writeFileSync(`${file}.1`, `${record('info', 'a')}\n${record('warn', 'b')}\n`);
  const read = (lines: number, least: 'trace' | 'warn') =>
    readLogTail(file, { lines, least })?.lines.map((line) => parseLogLine(line)?.message ?? line);
  assert.equal(read(10, 'trace'), ['a', 'b', 'c', 'not json', 'd']);
  assert.equal(read(4, 'trace'), ['b', 'c', 'not json', 'd']);
  assert.equal(read(10, 'warn'), ['b', 'not json', 'd']);
  assert.equal(read(0, 'trace'), []);
  assert.is(readLogTail(folder.at('none.log'), { lines: 1, least: 'info' }), undefined);
});

test('a log that is a pipe is not waited for', async () => {
  const file = tempFolder().at('pipe.log');
  execFileSync('mkfifo', [file]);
  const error = await failureOf(() => readLogTail(file, { lines: 1, least: 'info' }));
  assert.match(String(error), `${file}: it is not a regular file`);
});

test('lines are selected by route and request, and others are left out', () => {
  const line = (fields: object) => parseLogLine(JSON.stringify({ time: 't', msg: 'm', ...fields }));
  const about = line({ level: 'info', route: 'ci', requestId: 'r1' });
  const least = 'info';
  for (const [selection, isShown] of [
    [{ least }, true],
    [{ least, route: 'ci' }, true],
    [{ least, route: 'ci', requestId: 'r1' }, true],
    [{ least, requestId: 'r1' }, true],
    [{ least, route: 'gh' }, false],
    [{ least, route: 'ci', requestId: 'r2' }, false],
    [{ least: 'warn', route: 'ci' }, false],
  ] as const) {
    assert.is(isSelected(about, selection), isShown, JSON.stringify(selection));
  }
  // A line about neither, and one of another program.
  for (const other of [line({ level: 'error' }), parseLogLine('Killed')]) {
    assert.is(isSelected(other, { least }), true);
    assert.is(isSelected(other, { least, route: 'ci' }), false);
    assert.is(isSelected(other, { least, requestId: 'r1' }), false);
  }
  const odd = line({ level: 'info', service: { toString: 1 } });
  assert.is(isSelected(odd, { least, service: 'webhooks' }), false);
});

test('following continues after the last line read, across rotation and truncation', async () => {
  const folder = tempFolder();
  const file = folder.write('s.log', 'old\nhal');
  const end = readLogTail(file, { lines: 9, least: 'trace' });
  assert.equal([end?.lines, end?.endBytes], [['old'], 4]);
  const ended = new AbortController();
  const options = { fromBytes: 4, signal: ended.signal };
  const lines = followLog(file, options);
  const next = async () => (await lines.next()).value;
  appendFileSync(file, 'f\n');
  assert.is(await next(), 'half');
  appendFileSync(file, 'last of this\n');
  renameSync(file, `${file}.1`);
  // Longer than what was read of the one before.
  writeFileSync(file, `first of the next\n${'more'.repeat(9)}\n`);
  assert.is(await next(), 'last of this');
  assert.is(await next(), 'first of the next');
  assert.is(await next(), 'more'.repeat(9));
  appendFileSync(file, 'whole\nhalf of a line that is never finished');
  assert.is(await next(), 'whole');
  writeFileSync(file, 'short\n');
  assert.is(await next(), 'short');
  const later = next();
  // Only now, when it has found nothing new.
  appendFileSync(file, 'after a pause\n');
  assert.is(await later, 'after a pause');
  ended.abort();
  assert.is((await lines.next()).done, true);
});

test('following waits for a missing log', async () => {
  const folder = tempFolder();
  const ended = new AbortController();
  const lines = followLog(folder.at('s.log'), { fromBytes: 0, signal: ended.signal });
  const first = lines.next();
  folder.write('s.log', 'here\n');
  assert.is((await first).value, 'here');
  ended.abort();
  await lines.return(undefined);
});

test.run();
