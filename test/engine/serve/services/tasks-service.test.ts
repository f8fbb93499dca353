import { chmodSync, rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../../../src/engine/config/index.js';
import { createSecretMask } from '../../../../src/engine/masking/index.js';
import type { ServeSetup } from '../../../../src/engine/serve/service.js';
import { tasksDefinition } from '../../../../src/engine/serve/services/tasks-service.js';
import { contextOf } from '../../../support/context.js';
import { testLog } from '../../../support/services.js';
import { serverHome, writeConfig } from '../../../support/serving.js';

const test = suite('the service that runs tasks');

test('a missing program is a problem until it is there', async () => {
  const home = serverHome();
  const program = home.at('bin/work');
  writeConfig(home, { flows: { runtimes: { subagent: { command: [program] } } } });
  const context = contextOf(home.path, { env: { PATH: process.env['PATH'] } });
  const setup: ServeSetup = {
    context,
    loaded: await loadConfig(context, {}),
    mask: createSecretMask(),
  };
  const { logger, lines } = testLog();
  let problem: string | undefined;
  const service = await tasksDefinition(setup).start({
    log: logger,
    setLastEvent: () => undefined,
    setProblem: (failure) => {
      problem = failure?.message;
    },
    signal: new AbortController().signal,
    fail: () => undefined,
  });
  try {
    const missing = `program not found: ${program}`;
    assert.is(problem, missing);
    home.write('bin/work', '#!/bin/sh\n');
    chmodSync(program, 0o755);
    assert.is(await service.reload(setup), true);
    assert.is(problem, undefined);
    rmSync(program);
    await service.reload(setup);
    await service.reload(setup);
    assert.is(problem, missing);
    assert.is(lines.filter((line) => line.includes(missing)).length, 2);
  } finally {
    await service.stop();
  }
});

test.run();
