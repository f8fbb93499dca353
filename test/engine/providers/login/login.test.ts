import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  loginFile,
  tokenCacheFile,
} from '../../../../src/engine/providers/github-copilot/auth-files.js';
import type { LoginEvent } from '../../../../src/engine/providers/github-copilot/device-flow.js';
import { type LoginOptions, login } from '../../../../src/engine/providers/github-copilot/login.js';
import {
  readStoredLogin,
  storeLogin,
} from '../../../../src/engine/providers/github-copilot/stored-login.js';
import { NEVER } from '../../../../src/engine/support/async.js';
import type { EngineContext } from '../../../../src/engine/support/context.js';
import { resolveStatePaths } from '../../../../src/engine/support/context.js';
import {
  CLIENT_ID,
  type CopilotFake,
  type CopilotFakeOptions,
  GITHUB_TOKEN,
  startCopilotFake,
} from '../../../fakes/github-copilot.js';
import { failureOf } from '../../../support/failure.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('signing in to GitHub');

interface World {
  readonly fake: CopilotFake;
  readonly context: EngineContext;
  readonly stateDir: string;
  readonly events: LoginEvent[];
  readonly signIn: (change?: Partial<LoginOptions>) => ReturnType<typeof login>;
}

/** Runs a test with a fake and a home folder of its own. */
function inWorld(
  work: (world: World) => Promise<void>,
  options: CopilotFakeOptions & { readonly clock?: () => number } = {},
): () => Promise<void> {
  return async () => {
    const fake = await startCopilotFake(options);
    const home = tempFolder().path;
    const clock = { now: options.clock ?? Date.now };
    const state = resolveStatePaths({}, home);
    const context = { env: {}, cwd: home, homeDir: home, state, clock };
    const events: LoginEvent[] = [];
    const signIn = (change: Partial<LoginOptions> = {}) =>
      login(context, {
        provider: 'github-copilot',
        clientId: CLIENT_ID,
        githubUrl: fake.origin,
        githubApiUrl: undefined,
        signal: NEVER,
        onEvent: (event) => events.push(event),
        ...change,
      });
    try {
      await work({ fake, context, stateDir: state.stateDir, events, signIn });
    } finally {
      await fake.close();
    }
  };
}

test(
  'the code is shown, waited for, and the login kept for its owner alone',
  inWorld(
    async ({ fake, stateDir, events, signIn }) => {
      const file = loginFile(stateDir);
      assert.equal(await signIn(), { provider: 'github-copilot', account: 'ada', file });
      assert.equal(events, [
        {
          type: 'code.issued',
          userCode: 'WDJB-MJHT',
          verificationUri: `${fake.origin}/login/device`,
          lifetimeMs: 900_000,
        },
      ]);
      const apiUrl = `${fake.origin}/api/v3`;
      const stored = await readStoredLogin(stateDir);
      assert.equal(stored, { token: GITHUB_TOKEN, account: 'ada', apiUrl });
      for (const kept of [file, tokenCacheFile(stateDir)]) {
        assert.is(statSync(kept).mode & 0o777, 0o600, kept);
      }
    },
    { device: ['authorization_pending', 'authorization_pending', 'token'] },
  ),
);

test(
  'a request to slow down makes it wait longer',
  inWorld(
    async ({ fake, signIn }) => {
      await signIn();
      const polls = fake.requests.filter(({ path }) => path.endsWith('/access_token'));
      const [first, second, third] = polls.map(({ atMs }) => atMs);
      assert.is(polls.length, 3);
      assert.ok((second ?? 0) - (first ?? 0) >= 45, 'the new interval');
      assert.ok((third ?? 0) - (second ?? 0) >= 45, 'holds from then on');
    },
    { device: ['slow_down', 'authorization_pending', 'token'] },
  ),
);

const REFUSED = [
  ['access_denied', /declined/, /again/],
  ['expired_token', /in time/, /again/],
  ['device_flow_disabled', /device flow/, /Enable Device Flow/],
] as const;

for (const [answer, message, hint] of REFUSED) {
  test(
    `${answer} ends the login, and keeps the earlier one`,
    inWorld(
      async ({ stateDir, signIn }) => {
        const before = { token: 'gho_before', apiUrl: 'https://api.github.com' };
        storeLogin(stateDir, before);
        const error = await failureOf(signIn());
        assert.is(error.code, 'PROVIDER_LOGIN_FAILED');
        assert.match(error.message, message);
        assert.match(error.hint ?? '', hint);
        assert.equal(await readStoredLogin(stateDir), before);
      },
      { device: [answer] },
    ),
  );
}

let ticks = 0;
for (const [what, options] of [
  ['a code that nobody types', { clock: () => 400_000 * ticks++ }],
  ['a code that expires before the next poll', { interval: 3600, expiresIn: 0.1 }],
] as const) {
  test(
    `${what} ends by the clock, also when GitHub does not say so`,
    inWorld(
      async ({ signIn }) => {
        const error = await failureOf(signIn());
        assert.is(error.code, 'PROVIDER_LOGIN_FAILED');
        assert.match(error.message, 'in time');
      },
      { device: ['authorization_pending'], ...options },
    ),
  );
}

for (const interval of [0, -1]) {
  test(
    `a server that names an interval of ${interval} s is not flooded`,
    inWorld(
      async ({ fake, signIn }) => {
        assert.ok(await failureOf(signIn({ signal: AbortSignal.timeout(200) })));
        assert.is(fake.count('/login/oauth/access_token'), 0);
      },
      { device: ['authorization_pending'], interval },
    ),
  );
}

test(
  'a short network outage does not invalidate the code',
  inWorld(
    async ({ fake, events, signIn }) => {
      const signing = signIn({
        onEvent: (event) => {
          events.push(event);
          if (event.type === 'code.issued') fake.trouble('overloaded', 3);
        },
      });
      await signing;
      assert.equal(
        events.map(({ type }) => type),
        ['code.issued', 'poll.failed'],
      );
    },
    { device: ['token'] },
  ),
);

test(
  'Ctrl-C ends the wait at once',
  inWorld(
    async ({ stateDir, signIn }) => {
      const controller = new AbortController();
      const reason = new Error('enough');
      const signing = signIn({
        signal: controller.signal,
        onEvent: () => controller.abort(reason),
      });
      const outcome = await signing.catch((error: unknown) => error);
      assert.is(outcome, reason);
      assert.not(existsSync(loginFile(stateDir)));
    },
    { device: ['authorization_pending'], interval: 3600 },
  ),
);

test(
  'an account without Copilot keeps no login',
  inWorld(
    async ({ stateDir, signIn }) => {
      const error = await failureOf(signIn());
      assert.is(error.code, 'PROVIDER_AUTH');
      assert.match(error.message, 'No access to GitHub Copilot');
      assert.not(existsSync(loginFile(stateDir)));
    },
    { seat: false },
  ),
);

test(
  'a login that cannot be verified at the moment is kept',
  inWorld(async ({ fake, stateDir, signIn }) => {
    // An API where nothing listens: the code was typed all the same.
    const error = await failureOf(signIn({ githubApiUrl: 'http://127.0.0.1:9' }));
    assert.is(error.code, 'PROVIDER_UNREACHABLE');
    assert.match(error.hint ?? '', 'was saved');
    assert.is((await readStoredLogin(stateDir))?.token, GITHUB_TOKEN);
    assert.is(fake.count('/access_token'), 1);
  }),
);

test(
  'without a client ID no request is sent, and the alternatives are listed',
  inWorld(async ({ fake, signIn }) => {
    for (const clientId of [undefined, '']) {
      const error = await failureOf(signIn({ clientId }));
      assert.is(error.code, 'PROVIDER_NOT_SET_UP');
      assert.match(error.hint ?? '', 'SVC_GITHUB_CLIENT_ID');
      assert.match(error.hint ?? '', 'COPILOT_GITHUB_TOKEN');
    }
    assert.is(fake.requests.length, 0);
  }),
);

test(
  'an app that GitHub does not know is named by its setting',
  inWorld(async ({ signIn }) => {
    const error = await failureOf(signIn({ clientId: 'Iv1.unknown' }));
    assert.match(error.message, 'client ID');
    assert.match(error.hint ?? '', 'SVC_GITHUB_CLIENT_ID');
  }),
);

test(
  'providers without a login say where their key goes',
  inWorld(async ({ signIn }) => {
    const openai = await failureOf(signIn({ provider: 'general-vendor' }));
    assert.is(openai.code, 'USAGE');
    assert.match(openai.hint ?? '', 'OPENAI_API_KEY');
    assert.is((await failureOf(signIn({ provider: 'nowhere' }))).code, 'PROVIDER_UNKNOWN');
    assert.is((await signIn({ provider: 'code-assistant' })).provider, 'github-copilot');
  }),
);

test('a host that is not GitHub is named, with the flags that set it', async () => {
  const server = createServer((_request, response) => response.end('<h1>Intranet</h1>'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const githubUrl = `http://127.0.0.1:${address.port}`;
  await inWorld(async ({ signIn }) => {
    const error = await failureOf(signIn({ githubUrl }));
    assert.is(error.code, 'PROVIDER_ANSWER_INVALID');
    assert.match(error.hint ?? '', `${githubUrl} is GitHub`);
    assert.not.match(error.hint ?? '', 'embeddings');
  })();
  server.closeAllConnections();
  server.close();
});

test(
  'no secret is in an error',
  inWorld(
    async ({ signIn }) => {
      const error = await failureOf(signIn());
      const said = `${error.message} ${error.hint} ${JSON.stringify(error.details)} ${error.stack}`;
      assert.not.match(said, GITHUB_TOKEN);
      assert.not.match(said, 'device-0123456789');
    },
    { seat: false },
  ),
);

test(
  'the file holds what is needed and nothing else',
  inWorld(async ({ stateDir, signIn }) => {
    await signIn();
    const stored: unknown = JSON.parse(readFileSync(loginFile(stateDir), 'utf8'));
    assert.equal(Object.keys(stored ?? {}).sort(), ['account', 'apiUrl', 'token']);
  }),
);

test.run();
