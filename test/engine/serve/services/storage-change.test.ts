import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig, resolveConfig } from '../../../../src/engine/config/index.js';
import { openFlows } from '../../../../src/engine/flows/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { migrate } from '../../../../src/engine/postgres/index.js';
import type { ServeSetup, ServiceDefinition } from '../../../../src/engine/serve/service.js';
import { dreamDefinitions } from '../../../../src/engine/serve/services/dream-service.js';
import { memoryDefinitions } from '../../../../src/engine/serve/services/memory-service.js';
import { tasksDefinition } from '../../../../src/engine/serve/services/tasks-service.js';
import { contextOf } from '../../../support/context.js';
import { realServer, serverAt } from '../../../support/postgres.js';
import { subagent } from '../../../support/runner.js';
import { startServing, testLog } from '../../../support/services.js';
import {
  recordsOf,
  serverHome,
  urlOf,
  whenLogged,
  whenReady,
  writeConfig,
} from '../../../support/serving.js';
import type { TempFolder } from '../../../support/temp-folder.js';
import { waitFor } from '../../../support/wait.js';
import { act, SECRET, SESSION, webhooksConfig } from '../../../support/webhooks.js';

const test = suite('a reload with another storage.url');

/** Nothing listens there. */
const NOWHERE = 'postgres://svc@127.0.0.1:9/svc';

const contextIn = (home: TempFolder) =>
  contextOf(home.path, { env: { PATH: process.env['PATH'] } });

async function setupOf(home: TempFolder): Promise<ServeSetup> {
  const context = contextIn(home);
  return { context, loaded: await loadConfig(context, {}), mask: createSecretMask() };
}

const KINDS: Readonly<Record<string, (setup: ServeSetup) => readonly ServiceDefinition[]>> = {
  memories: memoryDefinitions,
  dreaming: dreamDefinitions,
  tasks: (setup) => [tasksDefinition(setup)],
};

for (const [kind, definitionsOf] of Object.entries(KINDS)) {
  test(`${kind} are reopened even if the server is down`, async () => {
    const config = {
      flows: subagent('0'),
      plugins: { entries: { 'memory-core': { config: { dreaming: { enabled: true } } } } },
    };
    const home = serverHome(config);
    const setup = await setupOf(home);
    const [definition] = definitionsOf(setup);
    let problem: string | null | undefined;
    const service = await definition?.start({
      log: testLog().logger,
      setLastEvent: () => undefined,
      setProblem: (failure) => {
        problem = failure?.code;
      },
      signal: new AbortController().signal,
      fail: () => undefined,
    });
    await service?.ready;
    assert.is(await service?.reload(await setupOf(home)), true);
    const storage = { url: NOWHERE, connectTimeoutSeconds: 1 };
    writeConfig(home, { ...config, storage });
    // The runner of tasks waits for the server itself; the others are started again.
    assert.is(await service?.reload(await setupOf(home)), kind === 'tasks');
    if (kind === 'tasks') {
      await waitFor('its next claim', () => problem === 'STORAGE_UNREACHABLE');
    }
    await service?.stop();
  });
}

const server = await realServer();
const withServer = server === undefined ? test.skip : test;
test.after(() => server?.stop());

async function migratedUrl(): Promise<string> {
  const url = (await server?.newDatabase()) ?? '';
  const tables = serverAt(url, { poolSize: 1 });
  await migrate(tables);
  await tables.close();
  return url;
}

withServer('moves what is acknowledged and what is run to the server at once', async () => {
  const url = await migratedUrl();
  const config = {
    ...webhooksConfig({ ci: { sessionKey: SESSION, secret: SECRET } }),
    flows: subagent("console.log('done')"),
  };
  const home = serverHome(config);
  const context = contextIn(home);
  const { serve, ended } = startServing(context, ['memory', 'dreaming', 'refresh']);
  await whenReady(home);
  writeConfig(home, { ...config, storage: { url } });
  const lines = recordsOf(home).length;
  await serve.reload();
  await whenLogged(home, 'listening on', lines);
  const base = urlOf(home) ?? '';
  const { body } = await act(base, {
    action: 'create_flow',
    goal: 'after the reload',
  });
  const result = Object(body['result']);
  await act(base, {
    action: 'run_task',
    flowId: result.flow.flowId,
    runtime: 'subagent',
    task: 't',
  });
  const flows = await openFlows(context, resolveConfig({ storage: { url } }));
  assert.is((await flows.operator.showFlow(result.flow.flowId)).flow.goal, 'after the reload');
  await waitFor('the end of the task', async () => {
    const { entries } = await flows.operator.listTasks({ limit: 1 });
    return entries[0]?.status === 'succeeded';
  });
  serve.stop('SIGTERM');
  await ended;
  await flows.close();
});

withServer('a URL that was replaced in its file is used after a reload', async () => {
  const urls = [await migratedUrl(), await migratedUrl()];
  const home = serverHome({});
  const secret = home.write('url', urls[0] ?? '');
  chmodSync(secret, 0o600);
  writeConfig(home, {
    ...webhooksConfig({ ci: { sessionKey: SESSION, secret: SECRET } }),
    storage: { url: { source: 'file', provider: 'file', id: 'value' } },
    secrets: { providers: { file: { source: 'file', path: secret, mode: 'singleValue' } } },
  });
  const { serve, ended } = startServing(contextIn(home), ['memory', 'dreaming', 'refresh']);
  await whenReady(home);
  const reload = async (): Promise<number> => {
    const lines = recordsOf(home).length;
    await serve.reload();
    await whenLogged(home, 'reloaded', lines);
    return lines;
  };
  await reload();
  assert.is(recordsOf(home).filter(({ message }) => message?.startsWith('listening on')).length, 1);
  writeFileSync(secret, urls[1] ?? '');
  await whenLogged(home, 'listening on', await reload());
  await act(urlOf(home) ?? '', { action: 'create_flow', goal: 'in the new store' });
  for (const [at, url] of urls.entries()) {
    const flows = await openFlows(contextIn(home), resolveConfig({ storage: { url } }));
    assert.is((await flows.operator.listFlows({ limit: 1 })).total, at);
    await flows.close();
  }
  rmSync(secret);
  const lines = recordsOf(home).length;
  await serve.reload();
  await whenLogged(home, 'not reloaded', lines);
  serve.stop('SIGTERM');
  await ended;
});

test.run();
