import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CLIENT_ID,
  type CopilotFake,
  type CopilotFakeOptions,
  GITHUB_TOKEN,
  startCopilotFake,
} from '../fakes/github-copilot.js';
import { jsonOf } from '../support/json.js';
import { runInPty } from '../support/pty.js';
import { type StartedSvc, type SvcRun, startSvc } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('svc provider login and logout');

interface World {
  readonly fake: CopilotFake;
  readonly home: string;
  readonly loginFile: string;
  readonly env: Readonly<Record<string, string>>;
  readonly start: (...args: string[]) => StartedSvc;
  readonly run: (...args: string[]) => Promise<SvcRun>;
}

function inWorld(
  work: (world: World) => Promise<void>,
  options: CopilotFakeOptions = {},
): () => Promise<void> {
  return async () => {
    const fake = await startCopilotFake(options);
    const home = tempFolder().path;
    const env = { SVC_GITHUB_URL: fake.origin, SVC_GITHUB_CLIENT_ID: CLIENT_ID };
    const start = (...args: string[]) => startSvc(['provider', ...args], { home, env });
    const run = (...args: string[]) => start(...args).done;
    const loginFile = join(home, 'auth/github-copilot.json');
    try {
      await work({ fake, home, loginFile, env, start, run });
    } finally {
      await fake.close();
    }
  };
}

test(
  'login shows the code, keeps the login, and logout deletes it',
  inWorld(
    async ({ home, loginFile, run }) => {
      const login = await run('login', 'github-copilot');
      assert.equal(
        [login.code, login.stdout.includes('signed in to github-copilot as ada')],
        [0, true],
      );
      assert.match(login.stderr, /login\/device and enter the code WDJB-MJHT/);
      assert.not.match(`${login.stdout}${login.stderr}`, GITHUB_TOKEN);
      assert.match(readFileSync(loginFile, 'utf8'), GITHUB_TOKEN);
      assert.is(statSync(loginFile).mode & 0o777, 0o600);
      assert.is(statSync(join(home, 'auth')).mode & 0o777, 0o700);

      const unconfirmed = await run('logout', 'github-copilot', '--json');
      assert.equal([unconfirmed.code, jsonOf.error(unconfirmed).code], [2, 'CONFIRMATION_NEEDED']);
      assert.ok(existsSync(loginFile));

      const logout = await run('logout', 'github-copilot', '--yes', '--json');
      assert.equal([logout.code, jsonOf.logout(logout).outcome], [0, 'deleted']);
      assert.not(existsSync(loginFile));
      assert.not(existsSync(join(home, 'auth/github-copilot-token.json')));

      const again = await run('logout', 'github-copilot');
      assert.equal([again.code, again.stdout], [0, 'not signed in to github-copilot\n']);
    },
    { device: ['authorization_pending', 'token'] },
  ),
);

test(
  'with --json stdout is one document, and the code goes to stderr',
  inWorld(async ({ loginFile, run }) => {
    const login = await run('login', 'github-copilot', '--json', '--quiet');
    assert.equal(jsonOf.login(login), {
      provider: 'github-copilot',
      account: 'ada',
      file: loginFile,
      warnings: [],
    });
    assert.match(login.stderr, 'WDJB-MJHT');
  }),
);

test(
  'Ctrl-C while waiting exits with 130 and keeps nothing',
  inWorld(
    async ({ loginFile, start }) => {
      const login = start('login', 'github-copilot');
      await login.waitForText('WDJB-MJHT');
      login.child.kill('SIGINT');
      const { code, stdout, stderr } = await login.done;
      assert.equal([code, stdout], [130, '']);
      assert.match(stderr, 'error: stopped');
      assert.not(existsSync(loginFile));
    },
    { device: ['authorization_pending'], interval: 3600 },
  ),
);

test(
  'a login that is declined is an error with a code',
  inWorld(
    async ({ run }) => {
      const login = await run('login', 'github-copilot', '--json');
      assert.equal([login.code, jsonOf.error(login).code], [1, 'PROVIDER_LOGIN_FAILED']);
    },
    { device: ['access_denied'] },
  ),
);

test(
  'a flag overrides its variable, and other providers say where to set their key',
  inWorld(async ({ run }) => {
    const unknown = await run('login', 'github-copilot', '--github-client-id', 'other', '--json');
    assert.equal([unknown.code, jsonOf.error(unknown).code], [1, 'PROVIDER_AUTH']);
    const openai = await run('login', 'openai', '--json');
    assert.equal([openai.code, jsonOf.error(openai).code], [2, 'USAGE']);
    const nowhere = await run('logout', 'nowhere', '--json');
    assert.equal([nowhere.code, jsonOf.error(nowhere).code], [2, 'PROVIDER_UNKNOWN']);
  }),
);

test(
  'on a terminal logout asks, and "no" keeps the login',
  inWorld(async ({ home, env, loginFile, run }) => {
    assert.is((await run('login', 'github-copilot')).code, 0);
    const session = runInPty(['provider', 'logout', 'github-copilot'], {
      home,
      env,
      columns: 100,
      rows: 20,
      lines: true,
    });
    await session.waitForText('[y/N]');
    session.type('n\r');
    assert.is(await session.ended, 0);
    assert.match(session.output(), 'kept');
    assert.ok(existsSync(loginFile));
  }),
);

test.run();
