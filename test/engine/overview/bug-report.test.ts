import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { processFacts } from '../../../src/cli/context.js';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { writeBugReport } from '../../../src/engine/overview/bug-report.js';
import { contextOf } from '../../support/context.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('bug reports');

test('two of the same second have different names', async () => {
  const clock = { now: () => Date.UTC(2026, 1, 3, 9, 5, 28, 250) };
  const context = contextOf(tempFolder().path, { clock });
  const written = async (): Promise<string> => {
    const { file } = await writeBugReport(context, {
      facts: processFacts(process.cwd()),
      mask: createSecretMask(),
      signal: new AbortController().signal,
    });
    return basename(file);
  };
  assert.is(await written(), 'svc-bug-report-20260203-090528.tar.gz');
  assert.is(await written(), 'svc-bug-report-20260203-090528-2.tar.gz');
});

test('logs are left out where the secrets to mask cannot be read', async () => {
  const folder = tempFolder();
  folder.write('svc.json', '{ broken');
  folder.write('logs/serve.log', '{"msg":"the password is swordfish"}\n');
  const { file, entries } = await writeBugReport(contextOf(folder.path), {
    facts: processFacts(process.cwd()),
    mask: createSecretMask(),
    signal: new AbortController().signal,
  });
  const log = entries.find(({ name }) => name === 'logs/serve.log');
  assert.match(log?.error ?? '', /so it was left out$/u);
  assert.not.match(gunzipSync(readFileSync(file)).toString(), /swordfish/u);
});

test.run();
