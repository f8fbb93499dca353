import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig, resolveAgent } from '../../../../../src/engine/config/index.js';
import {
  extSettings,
  milliseconds,
} from '../../../../../src/engine/memory/backends/ext/ext-settings.js';
import { contextOf } from '../../../../support/context.js';
import { folderOf } from '../../../../support/temp-folder.js';

const test = suite('the settings of the external backend');

async function settingsOf(ext: object, agentId = 'main') {
  const agents = { list: [{ id: 'main', default: true }, { id: 'ops' }] };
  const home = folderOf({
    'svc.json': JSON.stringify({ agents, memory: { backend: 'ext', ext } }),
  });
  const context = contextOf(home.path);
  const loaded = await loadConfig(context, {});
  return { home, settings: extSettings(resolveAgent(loaded, agentId, context), context, loaded) };
}

test('each agent has its own folder, and another for its conversations', async () => {
  const { home, settings } = await settingsOf({}, 'ops');
  assert.is(settings.dir, home.at('agents/ops/qmd'));
  assert.is(settings.sessions.exportDir, home.at('agents/ops/qmd/sessions'));
});

test('agents never share a folder of conversations, whatever its name', async () => {
  const plain = await settingsOf({ sessions: { exportDir: 'talks' } }, 'ops');
  assert.is(plain.settings.sessions.exportDir, plain.home.at('talks/ops'));
  const named = await settingsOf({ sessions: { exportDir: '~/of-{agentId}/talks' } }, 'ops');
  assert.is(named.settings.sessions.exportDir, named.home.at('of-ops/talks'));
});

test('the defaults are the documented ones', async () => {
  const { settings } = await settingsOf({});
  assert.equal(
    [settings.command, settings.mode, settings.searchTool],
    ['qmd', 'search', undefined],
  );
  const { intervalMs, debounceMs, embedIntervalMs, onBoot } = settings.update;
  assert.equal(
    [intervalMs, debounceMs, embedIntervalMs, onBoot],
    [300_000, 15_000, 3_600_000, true],
  );
});

test('durations are accepted in any unit, and 0 means never', async () => {
  assert.equal(
    ['0', '15000ms', '30s', '5m', '2h', '1d'].map(milliseconds),
    [0, 15_000, 30_000, 300_000, 7_200_000, 86_400_000],
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.ok(milliseconds(text) >= 0);
    }),
  );
  assert.is((await settingsOf({ update: { interval: '0' } })).settings.update.intervalMs, 0);
});

test.run();
