import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import { openMemory } from '../../../../src/engine/memory/open-memory.js';
import type { ServeSetup } from '../../../../src/engine/serve/service.js';
import { memoryDefinitions } from '../../../../src/engine/serve/services/memory-service.js';
import { contextOf } from '../../../support/context.js';
import { testLog } from '../../../support/services.js';
import { folderOf } from '../../../support/temp-folder.js';

const test = suite('a fresh memory under svc serve');

/** @param isHidden whether `svc memory forget` was killed after it hid a line */
async function started(isHidden: boolean, completeForgetting: ServeSetup['completeForgetting']) {
  const agents = { defaults: { memorySearch: { provider: 'none' } } };
  const home = folderOf({
    'svc.json': JSON.stringify({ agents }),
    'workspace/MEMORY.md': '# Cars\n\nThe code of the front door is 4711.\n',
  });
  const context = contextOf(home.path);
  if (isHidden) {
    const { backend } = await openMemory(context, { kind: 'agent' });
    await backend.sync({});
    const forgetting = await backend.forgetting();
    await forgetting.hide(await forgetting.plan({ target: 'MEMORY.md#L3' }), { fromFile: false });
    await backend.close();
  }
  const loaded = await loadConfig(context, {});
  const [definition] = memoryDefinitions({
    context,
    loaded,
    mask: createSecretMask(),
    completeForgetting,
  });
  assert.ok(definition !== undefined);
  const { logger, lines } = testLog();
  const service = await definition.start({
    log: logger,
    setLastEvent: () => undefined,
    setProblem: () => undefined,
    signal: new AbortController().signal,
    fail: () => undefined,
  });
  return { service, lines };
}

test('what a killed svc memory forget left to do is completed, and its warnings are logged', async () => {
  const { service, lines } = await started(true, async () => {
    const message = 'the log of searches still has it';
    return [{ code: 'FORGET_UNFINISHED', message, hint: 'remove the log' }];
  });
  await service.ready;
  const warning = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'warn');
  assert.equal(
    [warning?.code, warning?.msg, warning?.hint],
    ['FORGET_UNFINISHED', 'the log of searches still has it', 'remove the log'],
  );
  await service.drain?.();
  await service.stop();
});

test('where all stores follow the list of what is forgotten, none is opened', async () => {
  const { service } = await started(false, async () => {
    throw new Error('nothing to complete');
  });
  await service.ready;
  await service.drain?.();
  await service.stop();
});

test('it does not become ready if that fails', async () => {
  const { service } = await started(true, async () => {
    throw new Error('the disk is gone');
  });
  const why = await Promise.resolve(service.ready).catch((error: unknown) => error);
  assert.match(String(why), 'the disk is gone');
  await service.drain?.();
  await service.stop();
});

test.run();
