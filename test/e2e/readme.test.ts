import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wordsOf } from '../docs/command-line.js';
import { allPages, fencesOf } from '../docs/pages.js';
import { type PtySession, runInPty } from '../support/pty.js';
import { ROOT } from '../support/run-svc.js';
import { runInSession } from '../support/svc-session.js';
import { folderOf } from '../support/temp-folder.js';
import { KEYS } from '../support/terminal.js';

/** Every command of the README, as printed and in order, in a home where svc has never run. */
const test = suite('the README');

const readme = allPages().find(({ path }) => path === 'README.md')?.text ?? '';
const commands = fencesOf(readme)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trimEnd().split('\n').map(wordsOf));

const home = folderOf({ 'state/.keep': '' });
const env = {
  HOME: home.path,
  npm_config_prefix: home.at('prefix'),
  npm_config_offline: 'true',
  SVC_PORT: '0',
};
const state = home.at('state');

/** Runs a command on a terminal, where somebody uses it, and expects that it ends well. */
async function onTerminal(
  args: readonly string[],
  use: (session: PtySession) => Promise<void> | void = () => undefined,
  lines = false,
): Promise<string> {
  const session = runInPty(args, { home: state, env, lines });
  await use(session);
  assert.is(await session.ended, 0, session.output());
  return session.output();
}

/** Accepts whatever is proposed until the program has ended. */
function accepting(session: PtySession): void {
  const typing = setInterval(() => session.type(KEYS.enter), 200);
  void session.ended.finally(() => clearInterval(typing));
}

const confirming = async (session: PtySession): Promise<void> => {
  await session.waitForText('[y/N]');
  session.type('y\r');
};

const quitting = (text: string) => async (session: PtySession) => {
  await session.waitForText(text);
  session.type('q');
};

/** What a reader does with each command, and what has to come of it. */
const uses: Readonly<Record<string, (args: readonly string[]) => Promise<void> | void>> = {
  // Installs and builds first, which has happened when a test runs.
  'npm start': async ([, ...args]) => {
    const run = await runInSession(args, { home: state, env, cwd: ROOT });
    assert.is(run.code, 0, run.stderr);
    assert.match(run.stdout, 'durability.md');
  },
  // This is what runs now.
  'npm test': () => undefined,
  'npm install': (args) => {
    execFileSync('npm', ['install', ...args], {
      cwd: ROOT,
      stdio: 'ignore',
      env: { PATH: process.env['PATH'], ...env },
    });
    assert.ok(existsSync(home.at('prefix/bin/svc')));
  },
  'svc --version': async (args) => {
    const version = execFileSync(home.at('prefix/bin/svc'), ['--version'], { encoding: 'utf8' });
    assert.match(await onTerminal(args, undefined, true), version.trim());
  },
  'svc config init': async (args) => {
    await onTerminal(args, accepting, true);
    assert.ok(existsSync(join(state, 'svc.json')));
  },
  'svc memory search "when does the backup run"': async (args) => {
    await onTerminal(args, undefined, true);
  },
  'svc memory search': async (args) => {
    await onTerminal(args, async (session) => {
      await session.waitForText('Ask your memory');
      session.type(KEYS.escape);
    });
  },
  'svc integrate claude-code': async (args) => {
    await onTerminal(args, confirming, true);
    assert.ok(existsSync(home.at('.claude.json')));
  },
  'svc integrate claude-code --active-memory': async (args) => {
    await onTerminal(args, confirming, true);
    assert.ok(existsSync(home.at('.claude/settings.json')));
  },
  'svc mcp': async (args) => {
    assert.is((await runInSession(args, { home: state, env })).code, 0);
  },
  'svc serve': async (args) => {
    await onTerminal(args, quitting('memory:main  ready'));
  },
  'svc config set plugins.entries.webhooks.enabled true': async (args) => {
    await onTerminal(args, undefined, true);
  },
  'svc webhook serve': async (args) => {
    await onTerminal(args, quitting('http://127.0.0.1'));
  },
};

function stepOf(words: readonly string[]): readonly [string, readonly string[]] {
  const [program = '', ...args] = words;
  if (program === 'npm') return [`npm ${args[0]}`, args.slice(1)];
  const typed = args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg));
  return [`svc ${typed.join(' ')}`, args];
}

for (const words of commands) {
  const [name, args] = stepOf(words);
  test(`${words.join(' ')} works as printed`, async () => {
    const use = uses[name];
    assert.ok(use !== undefined, `say in this test what a reader does with ${name}`);
    await use(args);
  });
}

test('is one screen: no longer than 120 lines', () => {
  assert.ok(readme.split('\n').length <= 120);
});

test.run();
