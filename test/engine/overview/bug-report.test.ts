import { basename } from 'node:path';
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

test.run();
