import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadToken, tokenFile } from '../../../../src/engine/mcp/http/token.js';
import { failureOf } from '../../../support/failure.js';
import { tempFolder } from '../../../support/temp-folder.js';

const test = suite('the token of svc mcp --http');

const NEVER = new AbortController().signal;

test('is made with its folder, and stays the same', async () => {
  const stateDir = join(tempFolder().path, 'not', 'yet');
  const first = await loadToken(stateDir, NEVER);
  assert.is(first.file, tokenFile(stateDir));
  assert.ok(first.value.length >= 43);
  assert.equal(await loadToken(stateDir, NEVER), first);
});

test('is refused where it is cut off, a link or a folder, and never overwritten', async () => {
  const makes: Readonly<Record<string, (file: string) => void>> = {
    'cut off': (file) => writeFileSync(file, 'abc', { mode: 0o600 }),
    empty: (file) => writeFileSync(file, '', { mode: 0o600 }),
    link: (file) => symlinkSync('/dev/null', file),
    folder: (file) => mkdirSync(file),
  };
  for (const [what, make] of Object.entries(makes)) {
    const stateDir = tempFolder().path;
    make(tokenFile(stateDir));
    const failure = await failureOf(loadToken(stateDir, NEVER));
    assert.equal([failure.code, failure.hint !== undefined], ['MCP_TOKEN_UNUSABLE', true], what);
  }
});

test.run();
