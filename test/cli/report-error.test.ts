import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  exitCodeOf,
  failureWords,
  formatErrorText,
  HELP_HINT,
  reportError,
} from '../../src/cli/report-error.js';
import { ERROR_CODES, SvcError } from '../../src/engine/errors/index.js';
import { createSecretMask } from '../../src/engine/masking/index.js';
import { folderOf } from '../support/temp-folder.js';

const test = suite('reporting errors');

/** As oclif's parser throws them. */
function parserError(message: string, exit = 2): Error {
  return Object.assign(new Error(message), { oclif: { exit } });
}

test('an expected error keeps its message and exposes nothing else', () => {
  const error = new SvcError('CONFIG_INVALID', 'two\nlines', {
    hint: 'fix it',
    location: { file: 'svc.json', line: 3, column: 5 },
    details: { faults: 2 },
    cause: new Error('secret'),
  });
  assert.equal(reportError(error), {
    code: 'CONFIG_INVALID',
    message: 'two\nlines',
    hint: 'fix it',
    location: { file: 'svc.json', line: 3, column: 5 },
    details: { faults: 2 },
  });
  const bare = JSON.stringify(reportError(new SvcError('BUG', 'bare')));
  assert.is(bare, '{"code":"BUG","message":"bare"}');
});

test('on a screen, a fault in a file is shown with the file', () => {
  const location = { file: '/a/svc.json', line: 3, column: 5 };
  const error = new SvcError('CONFIG_INVALID', 'not JSON', { hint: 'fix it', location });
  const mask = createSecretMask();
  assert.is(failureWords(error, mask), '/a/svc.json:3: not JSON; fix it');
  assert.is(failureWords(new SvcError('BUG', 'bare'), mask), 'bare');
});

test('refusals of the system are reported with a hint; other system errors are bugs', () => {
  const systemError = (code: string, syscall: string): Error =>
    Object.assign(new Error(`${code}: refused, ${syscall}`), { code, syscall });
  for (const [error, hint] of [
    [systemError('ENOSPC', 'write'), 'free some space'],
    [systemError('EACCES', 'open'), 'permissions'],
    [systemError('SQLITE_FULL', ''), 'free some space'],
    [systemError('SQLITE_CANTOPEN_ISDIR', ''), 'permissions'],
    [systemError('EEXIST', 'mkdir'), 'move it away'],
    [systemError('ENOTDIR', 'stat'), 'move it away'],
    [systemError('EISDIR', 'read'), 'move it away'],
    [systemError('EIO', 'fsync'), 'check the disk'],
    [systemError('SQLITE_IOERR_FSYNC', ''), 'check the disk'],
    [systemError('EBUSY', 'rename'), 'mount its folder'],
    [systemError('EMFILE', 'scandir'), 'ulimit -n'],
    [systemError('ENFILE', 'open'), 'ulimit -n'],
    [systemError('EFBIG', 'write'), 'ulimit -f'],
    [systemError('ELOOP', 'stat'), 'fix the link'],
    [systemError('ENAMETOOLONG', 'open'), 'shorter path'],
    [systemError('ENOENT', 'uv_cwd'), 'the current folder was deleted'],
    // The folder above exists, as in /proc, or is a link that leads nowhere.
    [systemError('ENOENT', 'mkdir'), 'cannot be created'],
  ] as const) {
    const report = reportError(error);
    assert.is(report.code, 'SYSTEM_REFUSED');
    assert.match(report.hint ?? '', hint);
  }
  assert.is(reportError(systemError('ENOENT', 'open')).code, 'BUG');
});

test('parser errors are usage errors, in one line and in plain words', () => {
  const help = '\nSee more help with --help';
  const messages = {
    'Unexpected argument: b': 'unexpected argument: b',
    'Unexpected argument: ': 'unexpected argument: ""',
    'Flag --lines expects a value': '--lines needs a value',
    'Expected --level=x to be one of: warn, error': '--level must be one of: warn, error (got "x")',
    'Parsing --from \n\tExpected an integer but received: x':
      '--from must be a whole number (got "x")',
    'Parsing --from \n\tExpected an integer but received:':
      '--from must be a whole number (got "")',
    'Parsing --from \n\tExpected an integer greater than or equal to 1 but received: 0':
      '--from must be at least 1 (got 0)',
    'Parsing --from \n\tExpected an integer less than or equal to 9 but received: 10':
      '--from must be at most 9 (got 10)',
    'Parsing --share \n\tis not known': '--share: is not known',
    'The following error occurred:\n  \u001B[2m--a=1 cannot also be provided when using --b\u001B[22m':
      '--a cannot be combined with --b',
    'The following error occurred:\n  Missing required flag error': 'missing flag: --error',
    'The following errors occurred:\n  All of the following must be provided when using --x: --y\n  two':
      '--x requires --y; two',
  };
  for (const [original, message] of Object.entries(messages)) {
    const report = reportError(parserError(`${original}${help}`));
    assert.equal([report.code, report.message], ['USAGE', message]);
    assert.is(exitCodeOf(report), 2);
  }
});

test('a folder that is an argument too many was meant as the workspace, where there is one', () => {
  const { path, at } = folderOf({ 'my notes/a.md': '' });
  const hintOf = (arg: string, flags: object, args: object = {}) =>
    reportError(
      Object.assign(parserError(`Unexpected argument: ${arg}`), {
        args: [arg],
        parse: { input: { args, flags } },
      }),
    ).hint;
  assert.is(hintOf(path, { workspace: {} }), `did you mean --workspace ${path}?`);
  assert.is(
    hintOf(at('my notes'), { workspace: {} }),
    `did you mean --workspace '${path}/my notes'?`,
  );
  for (const [arg, flags] of [
    [at('my notes/a.md'), { workspace: {} }],
    [at('none'), { workspace: {} }],
    [path, { agent: {} }],
  ] as const) {
    assert.is(hintOf(arg, flags), HELP_HINT);
  }
  assert.is(hintOf(path, { workspace: {} }, { text: {} }), HELP_HINT);
});

test('anything else is a bug, with instructions for reporting it', () => {
  for (const thrown of [new TypeError('x'), parserError('x', 1), 'text', undefined, null, 5]) {
    const report = reportError(thrown);
    assert.is(report.code, 'BUG');
    assert.match(report.hint ?? '', /--verbose, and report/);
    assert.is(exitCodeOf(report), 1);
  }
});

test('the text names what failed, where, and what to do, each on a separate line', () => {
  const text = formatErrorText({
    code: 'CONFIG_SYNTAX',
    message: 'no JSON',
    hint: 'fix it',
    location: { file: '/a/svc.json', line: 2, column: 7 },
  });
  assert.is(text, 'error: no JSON\n   at: /a/svc.json:2:7\n hint: fix it\n');
  assert.is(formatErrorText({ code: 'BUG', message: 'x' }), 'error: x\n');
});

test('every code has an exit code that means what it says', () => {
  for (const [code, { exit }] of Object.entries(ERROR_CODES)) {
    assert.ok([1, 2, 124, 130].includes(exit), code);
    assert.is(exit === 124, code === 'WAIT_TIMED_OUT', code);
    if (code.startsWith('CONFIG_') && !/WRITE_FAILED|EXISTS/.test(code)) assert.is(exit, 2, code);
  }
  assert.is(ERROR_CODES.INTERRUPTED.exit, 130);
});

test.run();
