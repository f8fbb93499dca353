import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exitCodeOf, formatErrorText, reportError } from '../../src/cli/report-error.js';
import { ERROR_CODES, SvcError } from '../../src/engine/errors/index.js';

const test = suite('reporting errors');

/** As oclif's parser throws them. */
function parserError(message: string, exit = 2): Error {
  return Object.assign(new Error(message), { oclif: { exit } });
}

test('an error of ours keeps what it says, and nothing else gets out', () => {
  const error = new SvcError('CONFIG_INVALID', 'two\nlines', {
    hint: 'mend it',
    location: { file: 'svc.json', line: 3, column: 5 },
    details: { faults: 2 },
    cause: new Error('secret'),
  });
  assert.equal(reportError(error), {
    code: 'CONFIG_INVALID',
    message: 'two\nlines',
    hint: 'mend it',
    location: { file: 'svc.json', line: 3, column: 5 },
    details: { faults: 2 },
  });
  assert.equal(reportError(new SvcError('BUG', 'bare')), { code: 'BUG', message: 'bare' });
});

test('what the parser complains of is wrong usage, in one line', () => {
  const messages = {
    'Nonexistent flag: --x\nSee more help with --help': 'Nonexistent flag: --x',
    'Parsing --from \n\tExpected an integer but received: x\nSee more help with --help':
      '--from: Expected an integer but received: x',
    'The following error occurred:\n  --a cannot also be provided when using --b\nSee more help with --help':
      '--a cannot also be provided when using --b',
    'The following errors occurred:\n  one\n  two\nSee more help with --help': 'one; two',
  };
  for (const [said, told] of Object.entries(messages)) {
    const report = reportError(parserError(said));
    assert.equal([report.code, report.message], ['USAGE', told]);
    assert.is(exitCodeOf(report), 2);
  }
});

test('anything else is a bug, and says how to report it', () => {
  for (const thrown of [new TypeError('x'), parserError('x', 1), 'text', undefined, null, 5]) {
    const report = reportError(thrown);
    assert.is(report.code, 'BUG');
    assert.match(report.hint ?? '', /--verbose and report/);
    assert.is(exitCodeOf(report), 1);
  }
});

test('the text names what failed, where, and what to do, each on its line', () => {
  const text = formatErrorText({
    code: 'CONFIG_SYNTAX',
    message: 'no JSON',
    hint: 'mend it',
    location: { file: '/a/svc.json', line: 2, column: 7 },
  });
  assert.is(text, 'error: no JSON\n   at: /a/svc.json:2:7\n mend: mend it\n');
  assert.is(formatErrorText({ code: 'BUG', message: 'x' }), 'error: x\n');
});

test('every code has an exit code that means what it says', () => {
  for (const [code, { exit }] of Object.entries(ERROR_CODES)) {
    assert.ok([1, 2, 130].includes(exit), code);
    if (code.startsWith('CONFIG_') && !/WRITE_FAILED|EXISTS/.test(code)) assert.is(exit, 2, code);
  }
  assert.is(ERROR_CODES.INTERRUPTED.exit, 130);
});

test.run();
