import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { childrenOf } from '../support/processes.js';
import { assertTerminalRestored, type PtyOptions, runInPty } from '../support/pty.js';
import { SCREENS, type ScreenName, screenHome } from '../support/screens.js';
import { tempFolder } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';
import { waitFor } from '../support/wait.js';

/** What a screen does to its terminal ends with the screen, and with the process. */
const test = suite('restoring the terminal');

const NAMES = Object.keys(SCREENS) as readonly ScreenName[];

/** Starts a screen, and waits until it has the terminal. */
async function opened(name: ScreenName, options: Pick<PtyOptions, 'errors' | 'jobs' | 'shell'>) {
  const session = runInPty(SCREENS[name].args, { ...screenHome(), ...options });
  await waitFor(`the screen of ${name}`, () => session.screen.bracketedPaste, session.output);
  return session;
}

for (const [what, keys, shown] of [
  ['a screen', ':flow watch\r\r', 'no flows'],
  ['a question', ':flow list\r\r', 'Press Enter to go back'],
] as const) {
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    test(`${signal} to home ends ${what} of a command opened there before the shell goes on`, async () => {
      const session = await opened('home', { shell: true });
      await session.waitForText('listener');
      session.type(keys);
      await waitFor(shown, () => session.output().includes(shown), session.output);
      const [program = 0] = childrenOf(session.pid);
      process.kill(program, signal);
      await session.ended;
      assertTerminalRestored(session, `home with ${what}`);
      // Asked by the shell, after the program.
      assert.match(session.output(), / icanon .* echo /su);
    });
  }
}

for (const how of ['Ctrl-Z', 'SIGTSTP'] as const) {
  test(`a terminal that is resized while ${how} has stopped a screen is drawn in its new size`, async () => {
    const session = await opened('search', { jobs: true });
    session.type('backup');
    await session.waitForText('MEMORY.md#L1-L3');
    const [program = 0] = childrenOf(session.pid);
    if (how === 'Ctrl-Z') session.type('\u001A');
    else process.kill(program, how);
    await waitFor('the shell', () => !session.screen.alternate && !session.isRaw(), session.output);
    assertTerminalRestored(session, 'a stopped screen');
    session.resize(50, 10);
    session.type('\r');
    const rule = '─'.repeat(46);
    await waitFor(
      'the new size',
      () => session.screen.text().some((row) => row.trim() === rule),
      () => session.screen.text(),
    );
    session.type(KEYS.ctrlC);
    await session.ended;
    assertTerminalRestored(session, 'a screen that was stopped');
  });
}

test('random resizes, also to no size at all, and a lost terminal end no screen with a stack trace', async () => {
  const folder = tempFolder();
  await Promise.all(
    NAMES.map(async (name) => {
      const errors = folder.at(name);
      const session = await opened(name, { errors });
      session.type('j/a');
      for (let n = 0; n < 20; n++) {
        if (n === 7) session.resize(0, 0);
        else if (n === 13) session.resize(1, 1);
        else session.resize(1 + ((n * 53) % 150), 1 + ((n * 17) % 50));
        await new Promise((resolve) => setImmediate(resolve));
      }
      session.close();
      await session.ended;
      const stderr = readFileSync(errors, 'utf8');
      assert.not.match(stderr, /\n *at .+:\d+:\d+|BUG|stack trace/u, `${name}: ${stderr}`);
    }),
  );
});

test('svc serve --plain stops in order when its terminal is closed', async () => {
  const folder = tempFolder();
  const options = { ...screenHome(), errors: folder.at('log'), lines: true };
  const session = runInPty(['serve', '--plain'], options);
  const log = () => (existsSync(folder.at('log')) ? readFileSync(folder.at('log'), 'utf8') : '');
  await waitFor('the listener', () => log().includes('listening on'), log);
  session.close();
  assert.is(await session.ended, 0, log());
});

test('an empty CI variable is none', async () => {
  const { home, env } = screenHome();
  const session = runInPty([], { home, env: { ...env, CI: '', CONTINUOUS_INTEGRATION: '' } });
  await session.waitForText('listener');
  session.kill('SIGTERM');
  await session.ended;
  assertTerminalRestored(session, 'home');
});

test.run();
