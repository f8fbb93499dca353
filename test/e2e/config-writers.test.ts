import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { valueAt } from '../../src/engine/config/index.js';
import { runSvc, type SvcRun } from '../support/run-svc.js';
import { tempFolder } from '../support/temp-folder.js';

const test = suite('several processes that change the configuration');

const ROUNDS = 3;
const QUERY = 'agents.defaults.memorySearch.query';
const SETTINGS = [
  [`${QUERY}.maxResults`, 11],
  [`${QUERY}.snippetChars`, 321],
  [`${QUERY}.minScore`, 0.25],
  ['memory.citations', 'off'],
] as const;

const outcome = ({ code, stderr }: SvcRun) => ({ code, stderr });

test('every setting that was reported as written is in the file', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const home = tempFolder();
    const runs = await Promise.all(
      SETTINGS.map(([path, value]) =>
        runSvc(['config', 'set', path, String(value)], { home: home.path }),
      ),
    );
    assert.equal(
      runs.map(outcome),
      SETTINGS.map(() => ({ code: 0, stderr: '' })),
    );
    const written: unknown = JSON.parse(readFileSync(home.at('svc.json'), 'utf8'));
    for (const [path, value] of SETTINGS) assert.is(valueAt(written, path.split('.')), value, path);
  }
});

test('two new secrets of a webhook route are both kept', async () => {
  const home = tempFolder();
  const routes = { ci: { sessionKey: 'agent:main:main', secret: 'env:OLD' } };
  const plugins = { entries: { webhooks: { enabled: true, config: { routes } } } };
  home.write('svc.json', JSON.stringify({ plugins }));
  const names = ['ONE', 'TWO', 'THREE'];
  const runs = await Promise.all(
    names.map((name) =>
      runSvc(['webhook', 'secret', 'rotate', 'ci', '--add', `env:${name}`], { home: home.path }),
    ),
  );
  assert.equal(
    runs.map(outcome),
    names.map(() => ({ code: 0, stderr: '' })),
  );
  const { stdout } = await runSvc(['webhook', 'secret', 'rotate', 'ci', '--json'], {
    home: home.path,
  });
  for (const name of [...names, 'OLD']) assert.match(stdout, name);
});

test.run();
