import { chmodSync, readFileSync, statSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AdapterSettings } from '../../../src/engine/embeddings/embedding-adapter.js';
import { vendorAdapter } from '../../../src/engine/embeddings/vendor-adapter.js';
import { tokenCacheFile } from '../../../src/engine/providers/github-copilot/auth-files.js';
import { githubCopilot } from '../../../src/engine/providers/github-copilot/index.js';
import { storeLogin } from '../../../src/engine/providers/github-copilot/stored-login.js';
import { createCopilotVendor } from '../../../src/engine/providers/github-copilot/vendor.js';
import { NEVER } from '../../../src/engine/support/async.js';
import {
  COPILOT_TOKEN,
  type CopilotFake,
  type CopilotFakeOptions,
  GITHUB_TOKEN,
  startCopilotFake,
} from '../../fakes/github-copilot.js';
import { failureOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { faultOf } from './support.js';

const settingsOf = (change: Partial<AdapterSettings> = {}) =>
  testSettings({
    adapter: 'github-copilot',
    credential: { value: GITHUB_TOKEN, source: 'env COPILOT_GITHUB_TOKEN' },
    ...change,
  });

conformanceSuite({
  name: 'github-copilot',
  startFake: () => startCopilotFake({ dimensions: 256 }),
  settings: (fake) => settingsOf({ baseUrl: `${fake.origin}/copilot` }),
  createVendor: (settings) => {
    const { origin } = new URL(settings.baseUrl ?? '');
    const tools = {
      stateDir: tempFolder().path,
      clock: { now: Date.now },
      env: { SVC_GITHUB_URL: origin },
    };
    return createCopilotVendor(githubCopilot, settings, tools, NEVER);
  },
  secret: GITHUB_TOKEN,
  dimensions: 256,
});

const test = suite('github-copilot');

/** A state folder, a clock and a fake; every adapter made in it is like that of a new process. */
async function startWorld(options: CopilotFakeOptions = {}) {
  const fake = await startCopilotFake({ dimensions: 128, ...options });
  const clock = { ms: 1_000_000, now: () => clock.ms };
  const stateDir = tempFolder().path;
  const tools = { stateDir, clock, env: { SVC_GITHUB_URL: fake.origin } };
  const adapter = async (change: Partial<AdapterSettings> = {}) => {
    const settings = settingsOf(change);
    return vendorAdapter(
      await createCopilotVendor(githubCopilot, settings, tools, NEVER),
      settings,
      {
        nowMs: () => performance.now(),
        random: () => 0,
      },
    );
  };
  return { fake, clock, stateDir, tools, adapter };
}

/** Runs a test in a world of its own. */
function inWorld(
  work: (world: Awaited<ReturnType<typeof startWorld>>) => Promise<void>,
  options: CopilotFakeOptions = {},
): () => Promise<void> {
  return async () => {
    const made = await startWorld(options);
    try {
      await work(made);
    } finally {
      await made.fake.close();
    }
  };
}

const exchanges = (fake: CopilotFake): number => fake.count('/copilot_internal/v2/token');

test(
  'the address of the API comes with the token',
  inWorld(async ({ adapter }) => {
    assert.is((await (await adapter()).probe()).dimensions, 128);
  }),
);

test(
  'requests and checks go to the address that the token names',
  inWorld(async ({ fake, adapter }) => {
    const made = await adapter({ model: 'text-embedding-3-small' });
    await made.probe();
    assert.is(made.endpoint, `${fake.origin}/copilot`);
    assert.not.match(made.identity.endpoint, fake.origin);
  }),
);

test(
  'the best embedding model of the plan is used',
  inWorld(async ({ adapter }) => {
    assert.is((await adapter()).model, 'text-embedding-3-small');
  }),
);

test(
  'an unknown embedding model is better than none',
  inWorld(
    async ({ adapter }) => {
      assert.is((await adapter()).model, 'metis-1024');
    },
    { models: ['metis-1024'] },
  ),
);

test(
  'a plan without an embedding model is reported',
  inWorld(
    async ({ adapter }) => {
      const { details } = await faultOf(adapter());
      assert.is(details.kind, 'model');
    },
    { models: [] },
  ),
);

test(
  'a configured model is not looked for, and dimensions go out only when set',
  inWorld(async ({ fake, adapter }) => {
    const model = 'text-embedding-3-small';
    const made = await adapter({ model, dimensions: 64 });
    assert.is((await made.probe()).dimensions, 64);
    assert.is(fake.count('/models'), 0);
    const plain = await adapter({ model });
    await plain.probe();
    const sent: unknown = JSON.parse(fake.requests.at(-1)?.body.toString('utf8') ?? '');
    assert.equal(sent, { model, input: ['ping'] });
    assert.is(exchanges(fake), 1);
  }),
);

test(
  'the next process asks neither for a token nor for models, until the token has aged',
  inWorld(
    async ({ fake, clock, adapter }) => {
      await (await adapter()).probe();
      await (await adapter()).probe();
      assert.equal([exchanges(fake), fake.count('/models')], [1, 1]);
      // One minute after the 100 s that GitHub asked for, by the clock of this machine.
      clock.ms += 159_999;
      await (await adapter()).probe();
      assert.is(exchanges(fake), 1);
      clock.ms += 1;
      await (await adapter()).probe();
      assert.is(exchanges(fake), 2);
    },
    { refreshIn: 100 },
  ),
);

test(
  'a token that ages while a process runs is replaced in time',
  inWorld(
    async ({ fake, clock, adapter }) => {
      const made = await adapter();
      clock.ms += 3_600_000;
      await made.probe();
      assert.is(exchanges(fake), 2);
    },
    { refreshIn: 100 },
  ),
);

test(
  'a refused token is exchanged again, once for all running requests',
  inWorld(async ({ fake, adapter }) => {
    const made = await adapter({ concurrency: 4 });
    fake.revokeTokens();
    const inputs = Array.from({ length: 600 }, (_, n) => ({ text: `note ${n}` }));
    const { embedded } = await embedAll(made, inputs);
    assert.is(embedded.length, 600);
    assert.is(exchanges(fake), 2);
  }),
);

test(
  'the cached token is private to its owner, and useless to another login',
  inWorld(async ({ fake, stateDir, adapter }) => {
    await adapter();
    const file = tokenCacheFile(stateDir);
    assert.is(statSync(file).mode & 0o777, 0o600);
    assert.match(readFileSync(file, 'utf8'), COPILOT_TOKEN);
    assert.not.match(readFileSync(file, 'utf8'), GITHUB_TOKEN);
    const other = { value: 'gho_somebody_else', source: 'env GH_TOKEN' };
    const { details, message } = await faultOf(adapter({ credential: other }));
    assert.is(details.kind, 'auth');
    assert.not.match(`${message} ${details.hint}`, 'gho_');
    chmodSync(file, 0o644);
    await adapter();
    assert.is(statSync(file).mode & 0o777, 0o600);
    assert.is(exchanges(fake), 3);
  }),
);

test(
  'an unwritable folder costs an exchange, but the search works',
  inWorld(async ({ fake, tools }) => {
    const settings = settingsOf();
    const nowhere = { ...tools, stateDir: '/dev/null' };
    await createCopilotVendor(githubCopilot, settings, nowhere, NEVER);
    await createCopilotVendor(githubCopilot, settings, nowhere, NEVER);
    assert.is(exchanges(fake), 2);
  }),
);

test(
  'a stored login is used at the GitHub it was made at',
  inWorld(async ({ fake, stateDir }) => {
    storeLogin(stateDir, { token: GITHUB_TOKEN, apiUrl: `${fake.origin}/api/v3` });
    const env = { SVC_GITHUB_URL: 'http://127.0.0.1:9' };
    await createCopilotVendor(
      githubCopilot,
      settingsOf(),
      { stateDir, clock: { now: Date.now }, env },
      NEVER,
    );
    assert.is(exchanges(fake), 1);
  }),
);

test(
  'an account without Copilot is reported in the words of GitHub',
  inWorld(
    async ({ adapter }) => {
      const { details, message } = await faultOf(adapter());
      assert.is(details.kind, 'auth');
      assert.match(message, 'No access to GitHub Copilot');
      assert.match(details.hint ?? '', 'settings/copilot');
    },
    { seat: false },
  ),
);

test(
  'without a token no request is sent',
  inWorld(async ({ fake, adapter }) => {
    const { details } = await faultOf(adapter({ credential: undefined }));
    assert.is(details.kind, 'auth');
    assert.match(details.hint ?? '', 'svc provider login');
    assert.is(fake.requests.length, 0);
  }),
);

test(
  'a GitHub that cannot be reached is named, not Copilot',
  inWorld(async ({ fake, adapter }) => {
    const model = 'text-embedding-3-small';
    await fake.close();
    const { hint } = await failureOf((await adapter({ model })).probe());
    assert.match(hint ?? '', `check that ${fake.origin}/api/v3 is reachable`);
  }),
);

test(
  'a model that the plan does not have is named',
  inWorld(async ({ adapter }) => {
    const made = await adapter({ model: 'text-embedding-9' });
    assert.is((await failureOf(made.probe())).code, 'PROVIDER_MODEL_UNKNOWN');
  }),
);

test.run();
