import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LOG_LEVELS, type LogRecord } from '../../../src/engine/serve/log/log-record.js';
import { safeLine } from '../../../src/ui/safe-text.js';
import { renderLogRecord } from '../../../src/ui/serve/log-line.js';
import { createStyle } from '../../../src/ui/style.js';
import { codePoint } from '../../support/code-point.js';

const plain = createStyle(false);

function record(part: Partial<LogRecord>): LogRecord {
  // Without a zone: the time of whoever reads.
  return { level: 'info', time: '2026-03-02T10:00:05', message: 'synced', fields: {}, ...part };
}

test('a line has time, level, service, message and other fields', () => {
  const fields = { service: 'memory:main', added: 2, hint: 'make room', ids: ['a', 'b'] };
  assert.is(
    renderLogRecord(record({ fields }), plain),
    '2026-03-02 10:00:05 info  memory:main synced added=2 hint="make room" ids=["a","b"]',
  );
});

test('the stack of a bug is shown, that of an expected failure is not', () => {
  const err = { type: 'TypeError', message: 'x', stack: 'TypeError: x\n    at y' };
  const bug = renderLogRecord(record({ level: 'error', fields: { err } }), plain);
  assert.equal(bug.split('\n').slice(1), ['    TypeError: x', '    at y']);
  const expected = record({ fields: { err: { ...err, code: 'INDEX_DISK_FULL' } } });
  assert.is(renderLogRecord(expected, plain).split('\n').length, 1);
});

test('control sequences in a log never reach the terminal', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
  const acts = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E]/;
  fc.assert(
    fc.property(
      fc.constantFrom(...LOG_LEVELS),
      fc.string({ unit: codePoint }),
      fc.dictionary(fc.string({ unit: codePoint }), fc.jsonValue()),
      (level, message, fields) => {
        const text = renderLogRecord(record({ level, message, fields }), plain);
        assert.not.match(text, acts);
        assert.not.match(safeLine(message), acts);
      },
    ),
  );
  assert.match(renderLogRecord(record({ message: 'a\u001B[2Jb' }), plain), /a\\e\[2Jb/);
});

test.run();
