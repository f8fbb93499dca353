import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { terminalSupport, toClipboard } from '../../src/cli/terminal.js';
import { tempFolder } from '../support/temp-folder.js';
import { waitFor } from '../support/wait.js';

const test = suite('what the terminal can do');

const TTY = { isTTY: true, columns: 120 };
const ALL = { stdin: TTY, stdout: TTY, stderr: TTY };
const PIPES = { stdin: {}, stdout: {}, stderr: {} };
const NO_FLAGS = { json: false, plain: false };

test('a terminal on all streams gets everything', () => {
  const support = terminalSupport({}, ALL, NO_FLAGS);
  assert.equal(support, {
    ...{ screen: true, questions: true, progress: true, color: true, columns: 120 },
    ...{ confirmations: true, theme: 'any', mouse: true },
  });
});

test('pipes get nothing', () => {
  const support = terminalSupport({ TERM: 'xterm' }, PIPES, NO_FLAGS);
  assert.equal(support, {
    ...{ screen: false, questions: false, progress: false, color: false, columns: 80 },
    ...{ confirmations: false, theme: 'any', mouse: true },
  });
});

test('with stderr in a file there are screens, but no questions, which would be in the file', () => {
  const support = terminalSupport({}, { ...ALL, stderr: {} }, NO_FLAGS);
  const { screen, questions, confirmations } = support;
  assert.equal([screen, questions, confirmations], [true, false, false]);
});

test('a terminal of 0 by 0 cells counts as 80 columns wide', () => {
  const sizeless = { isTTY: true, columns: 0 };
  assert.is(terminalSupport({}, { ...ALL, stdout: sizeless }, NO_FLAGS).columns, 80);
});

test('--json, --plain, CI and a dumb terminal disable animation', () => {
  for (const [env, flags] of [
    [{}, { json: true, plain: false }],
    [{}, { json: false, plain: true }],
    [{ CI: 'true' }, NO_FLAGS],
    [{ CONTINUOUS_INTEGRATION: '1' }, NO_FLAGS],
    [{ TERM: 'dumb' }, NO_FLAGS],
  ] as const) {
    const { screen, progress, color } = terminalSupport(env, ALL, flags);
    assert.equal({ screen, progress, color }, { screen: false, progress: false, color: false });
  }
});

test('a confirmation is a line, so it is also asked with --plain and in a dumb terminal, but not in CI', () => {
  const asks = (env: Record<string, string>, flags = NO_FLAGS) =>
    terminalSupport(env, ALL, flags).confirmations;
  const plain = { json: false, plain: true };
  assert.equal([asks({}, plain), asks({ TERM: 'dumb' })], [true, true]);
  assert.equal([asks({ CI: '1' }, plain), asks({}, { json: true, plain: false })], [false, false]);
  const piped = terminalSupport({}, { ...ALL, stdin: {} }, plain);
  assert.is(piped.confirmations, false);
});

test('NO_COLOR disables colour and the progress line; empty variables and CI=0 do not count', () => {
  const { color, progress } = terminalSupport({ NO_COLOR: '1' }, ALL, NO_FLAGS);
  assert.equal([color, progress], [false, false]);
  assert.ok(terminalSupport({ NO_COLOR: '' }, ALL, NO_FLAGS).color);
  for (const value of ['', '0', 'false']) {
    assert.ok(terminalSupport({ CI: value }, ALL, NO_FLAGS).screen, value);
  }
});

test('FORCE_COLOR and CLICOLOR_FORCE colour a pipe, never JSON', () => {
  for (const name of ['FORCE_COLOR', 'CLICOLOR_FORCE']) {
    assert.ok(terminalSupport({ [name]: '1' }, PIPES, NO_FLAGS).color);
    assert.ok(terminalSupport({ [name]: '1', NO_COLOR: '1' }, ALL, NO_FLAGS).color);
    assert.not(terminalSupport({ [name]: '1' }, PIPES, { json: true, plain: false }).color);
    assert.not(terminalSupport({ [name]: '0' }, PIPES, NO_FLAGS).color);
  }
});

test('one piped stream is enough to disable screens', () => {
  assert.not(terminalSupport({}, { ...ALL, stdin: {} }, NO_FLAGS).screen);
  assert.not(terminalSupport({}, { ...ALL, stdout: {} }, NO_FLAGS).screen);
  assert.ok(terminalSupport({}, { ...ALL, stdout: {} }, NO_FLAGS).progress);
});

test('the theme is the configured one, or follows the background', () => {
  const themeWith = (theme: 'auto' | 'dark' | 'none', background?: string): string =>
    terminalSupport(background === undefined ? {} : { COLORFGBG: background }, ALL, NO_FLAGS, {
      theme,
      mouse: false,
    }).theme;
  assert.is(themeWith('none', '15;0'), 'none');
  assert.is(themeWith('dark', '0;15'), 'dark');
  for (const dark of ['15;0', '7;8', '15;default;0']) assert.is(themeWith('auto', dark), 'dark');
  for (const light of ['0;15', '0;7', '0;default;15']) assert.is(themeWith('auto', light), 'light');
  for (const unknown of [undefined, '', 'default;default', '0;x']) {
    assert.is(themeWith('auto', unknown), 'any');
  }
});

test('on macOS, a copied text is in the clipboard of the system, whatever the terminal supports', async () => {
  const home = tempFolder();
  const copied = home.at('copied');
  home.writeScript('pbcopy', `cat > '${copied}.part' && mv '${copied}.part' '${copied}'`);
  const { platform, stdout } = process;
  const { PATH, SSH_CONNECTION } = process.env;
  const written: unknown[] = [];
  const write = stdout.write.bind(stdout);
  Object.assign(stdout, { write: (text: unknown) => written.push(text) > 0 });
  process.env['PATH'] = `${home.path}:${PATH}`;
  process.env['SSH_CONNECTION'] = '';
  try {
    toClipboard('here only');
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    toClipboard('größe.md');
  } finally {
    Object.defineProperty(process, 'platform', { value: platform });
    Object.assign(stdout, { write });
    Object.assign(process.env, { PATH });
    if (SSH_CONNECTION === undefined) delete process.env['SSH_CONNECTION'];
    else process.env['SSH_CONNECTION'] = SSH_CONNECTION;
  }
  assert.equal(written, [
    '\u001B]52;c;aGVyZSBvbmx5\u0007',
    `\u001B]52;c;${Buffer.from('größe.md').toString('base64')}\u0007`,
  ]);
  await waitFor('the text', () => existsSync(copied));
  assert.is(readFileSync(copied, 'utf8'), 'größe.md');
});

test.run();
