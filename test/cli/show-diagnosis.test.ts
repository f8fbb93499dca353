import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createContext } from '../../src/cli/context.js';
import { showDiagnosis } from '../../src/cli/show-diagnosis.js';
import { terminalSupport } from '../../src/cli/terminal.js';
import { createSecretMask } from '../../src/engine/masking/index.js';
import { createStyle } from '../../src/ui/style.js';

const test = suite('showing a diagnosis');

test('a secret in the text of a check is masked before lines are wrapped', async () => {
  const secret = 'correct horse battery staple and more of it';
  let written = '';
  const diagnosis = await showDiagnosis(
    async () => ({
      scope: 'path',
      ok: false,
      usable: null,
      provider: 'corp',
      adapter: 'openai',
      checks: [{ check: 'embed', state: 'failed', text: 'm', cause: `no ${secret}` }],
    }),
    'path',
    {
      context: createContext(createSecretMask()),
      configFile: undefined,
      terminal: terminalSupport(
        {},
        { stdin: {}, stdout: { columns: 20 }, stderr: {} },
        { json: false, plain: false },
      ),
      view: { style: createStyle(false), columns: 20, nowMs: 0, homeDir: '/', hintFor: String },
      json: false,
      quiet: false,
      verbose: false,
      onInterrupt: () => undefined,
      signal: new AbortController().signal,
      mask: createSecretMask([secret]),
      write: (text) => {
        written += text;
      },
      showLocation: () => undefined,
    },
  );
  assert.not.match(written.replaceAll(/\s/gu, ''), 'correcthorse');
  assert.match(written, 'no ********');
  assert.is(diagnosis.checks[0]?.cause, 'no ********');
});

test.run();
