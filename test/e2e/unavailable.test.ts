import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonOf } from '../support/json.js';
import { runSvc } from '../support/run-svc.js';
import { folderOf, tempFolder } from '../support/temp-folder.js';

const test = suite('unavailable backends and providers');

async function warningsWith(settings: object): Promise<string[]> {
  const root = folderOf({ 'ws/MEMORY.md': 'alpha', 'svc.json': JSON.stringify(settings) });
  const run = await runSvc(['memory', 'search', 'alpha', '--json'], {
    home: tempFolder().path,
    cwd: root.path,
    env: { SVC_CONFIG: root.at('svc.json') },
  });
  assert.is(run.code, 0, run.stdout);
  assert.is(jsonOf.search(run).results.length, 1);
  return (jsonOf.search(run).warnings ?? []).map((warning) => warning.code);
}

const defaults = (memorySearch: object) => ({
  agents: { defaults: { workspace: 'ws', memorySearch } },
});

test('an unavailable backend is reported, and the built-in one answers', async () => {
  const codes = await warningsWith({ ...defaults({}), memory: { backend: 'ext' } });
  assert.ok(codes.includes('BACKEND_UNAVAILABLE'), codes.join());
});

test('an unavailable provider is reported, and the search is lexical', async () => {
  assert.ok(
    (await warningsWith(defaults({ provider: 'openai' }))).includes('PROVIDER_UNAVAILABLE'),
  );
});

test('without a configured provider, nothing is reported', async () => {
  assert.equal(await warningsWith(defaults({ provider: 'auto' })), []);
  assert.equal(await warningsWith(defaults({})), []);
});

test.run();
