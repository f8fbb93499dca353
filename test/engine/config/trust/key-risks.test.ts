import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configSchema } from '../../../../src/engine/config/schema/index.js';
import { isGroup, walkKeys } from '../../../../src/engine/config/schema/walk.js';
import { riskOf } from '../../../../src/engine/config/trust/key-risks.js';

const test = suite('the risk of every key');

const keys = [...walkKeys(configSchema)];

/** Whether the table decides over a key: by name, as an item of a list, or as part of what is risky. */
function isClassified(path: readonly string[]): boolean {
  if (riskOf(path) !== undefined) return true;
  if (path.at(-1) === '*' && riskOf(path.slice(0, -1)) !== undefined) return true;
  return path.some((_, at) => riskOf(path.slice(0, at)) === 'risky');
}

test('every key of the schema is either risky or harmless', () => {
  const leaves = keys.filter(
    ({ path, schema }) =>
      !isGroup(schema) &&
      !keys.some((other) => other.path.join('.').startsWith(`${path.join('.')}.`)),
  );
  assert.ok(leaves.length > 150);
  const missing = leaves
    .filter(({ path }) => !isClassified(path))
    .map(({ path }) => path.join('.'));
  assert.equal(missing, [], 'classify them in src/engine/config/trust/key-risks.ts');
});

test('keys that run, load, read, send or listen are risky', () => {
  for (const path of [
    'memory.ext.command',
    'models.providers.openai',
    'secrets.providers',
    'sessions.readers',
    'flows.notify',
    'flows.runtimes.acp.command',
    'flows.runtimes.subagent.env',
    'gateway.tls',
    'plugins.entries.webhooks.config.routes',
    ...['agents.defaults', 'agents.list.*'].flatMap((agent) =>
      [
        'remote.baseUrl',
        'remote.apiKey',
        'remote.headers',
        'local.modelPath',
        'store.path',
        'store.vector.extensionPath',
      ].map((key) => `${agent}.memorySearch.${key}`),
    ),
  ]) {
    assert.is(riskOf(path.split('.')), 'risky', path);
  }
});

test.run();
