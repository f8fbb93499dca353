import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveSecret, type SecretContext } from '../../../src/engine/secrets/index.js';
import { refuseInsecure } from '../../../src/engine/secrets/path-safety.js';
import { SecretFault } from '../../../src/engine/secrets/secret-context.js';
import { tempFolder } from '../../support/temp-folder.js';

import { contextOf, PLANTED, ref, refusal, secretFile } from './support.js';

const test = suite('secrets in files');

const SECRETS = JSON.stringify({ key: PLANTED });
const KEY = ref('file', 'vault', '/key');
const WHOLE = ref('file', 'vault', 'value');
const ROOT_UID = 0;
const NOBODY = 65534;

function at(pointer: string, context: SecretContext): Promise<string> {
  return resolveSecret(ref('file', 'vault', pointer), context);
}

test('a JSON pointer finds a value among objects and lists', async () => {
  const { context } = secretFile(
    JSON.stringify({ providers: { openai: 'a', list: ['b', { 'c/d': 'c', 'e~f': 'd' }] } }),
  );
  assert.is(await at('/providers/openai', context), 'a');
  assert.is(await at('/providers/list/0', context), 'b');
  assert.is(await at('/providers/list/1/c~1d', context), 'c');
  assert.is(await at('/providers/list/1/e~0f', context), 'd');
});

test('a byte order mark is no part of the file', async () => {
  assert.is(await at('/key', secretFile(`\uFEFF${SECRETS}`).context), PLANTED);
  const single = secretFile(`\uFEFF${PLANTED}`, { mode: 'singleValue' });
  assert.is(await at('value', single.context), PLANTED);
});

test('the value at the pointer must be a non-empty string', async () => {
  const { context, path } = secretFile(
    JSON.stringify({ empty: '', n: 1, no: null, yes: true, o: { key: PLANTED }, l: [PLANTED] }),
  );
  for (const id of ['/empty', '/n', '/no', '/yes', '/o', '/l']) {
    const error = await refusal(ref('file', 'vault', id), context);
    assert.match(error.message, `the value in ${path} is not a non-empty string`, id);
  }
  for (const id of ['/other', '/o/other', '/l/1', '/constructor', '/o/key/length']) {
    const error = await refusal(ref('file', 'vault', id), context);
    assert.match(error.message, `${path} has no value there`, id);
  }
});

test('the file must be a JSON object, and its text is never quoted', async () => {
  for (const [content, words] of [
    [PLANTED, 'is not JSON'],
    [`{"key": "${PLANTED}"`, 'is not JSON'],
    [`{"key": ${PLANTED}}`, 'is not JSON'],
    ['', 'is not JSON'],
    [`["${PLANTED}"]`, 'is not a JSON object'],
    [`"${PLANTED}"`, 'is not a JSON object'],
    ['null', 'is not a JSON object'],
    [Buffer.from(SECRETS, 'utf16le'), 'is not JSON'],
    [Buffer.concat([Buffer.from(PLANTED), Buffer.from([0xff])]), 'is not UTF-8 text'],
  ] as const) {
    const { context, path } = secretFile(content);
    assert.match((await refusal(KEY, context)).message, `${path} ${words}`);
  }
});

test('a single value is the whole file without the whitespace around it', async () => {
  for (const [content, value] of [
    [PLANTED, PLANTED],
    [`${PLANTED}\n`, PLANTED],
    [`${PLANTED}\r\n`, PLANTED],
    [`${PLANTED}\n\n`, PLANTED],
    [` ${PLANTED} \n`, PLANTED],
    [`two ${PLANTED}\n`, `two ${PLANTED}`],
    ['{"a": "b"}', '{"a": "b"}'],
  ] as const) {
    const { context } = secretFile(content, { mode: 'singleValue' });
    assert.is(await resolveSecret(WHOLE, context), value);
  }
  for (const content of ['', '\n', '\r\n', '\uFEFF\n']) {
    const { context } = secretFile(content, { mode: 'singleValue' });
    assert.match((await refusal(WHOLE, context)).message, 'is empty');
  }
});

test('the id must be of the kind that the mode takes', async () => {
  const single = await refusal(KEY, secretFile(PLANTED, { mode: 'singleValue' }).context);
  assert.match(single.message, 'has a single value');
  assert.match(single.hint ?? '', '"id": "value"');
  const json = await refusal(WHOLE, secretFile(SECRETS).context);
  assert.match(json.message, '"value" is not a JSON pointer');
  assert.match(json.hint ?? '', 'svc config set secrets.providers.vault.mode singleValue');
});

test('a file has no more bytes than allowed, whatever its size is said to be', async () => {
  const bytes = SECRETS.length;
  assert.is(await at('/key', secretFile(SECRETS, { maxBytes: bytes }).context), PLANTED);
  const { context, path } = secretFile(SECRETS, { maxBytes: bytes - 1 });
  const error = await refusal(KEY, context);
  assert.match(error.message, `${path} has more than ${bytes - 1} bytes`);
  assert.match(error.hint ?? '', 'secrets.providers.vault.maxBytes');
  // Its size is 0, and it holds something.
  const strange = '/proc/self/cmdline';
  if (!existsSync(strange)) return;
  const grown = contextOf({
    providers: {
      vault: {
        source: 'file',
        path: strange,
        mode: 'singleValue',
        maxBytes: 4,
        allowInsecurePath: true,
      },
    },
  });
  assert.match((await refusal(WHOLE, grown)).message, 'has more than 4 bytes');
});

test('the path must be absolute, and there must be a file', async () => {
  const folder = tempFolder();
  const at = (path: string) => contextOf({ providers: { vault: { source: 'file', path } } });
  const relative = await refusal(KEY, at('secrets.json'));
  assert.match(relative.message, 'secrets.json is not absolute');
  assert.is(relative.hint, 'fix secrets.providers.vault.path');
  folder.write('file', '');
  for (const path of [folder.at('missing.json'), folder.at('file/below.json')]) {
    assert.match((await refusal(KEY, at(path))).message, `${path} does not exist`);
  }
  assert.match((await refusal(KEY, at(folder.path))).message, `${folder.path} is a folder`);
});

test('a symbolic link is refused, wherever it leads; one in the way is not', async () => {
  const { folder, path } = secretFile(SECRETS);
  const at = (name: string, allowInsecurePath: boolean) =>
    contextOf({
      providers: { vault: { source: 'file', path: folder.at(name), allowInsecurePath } },
    });
  symlinkSync(path, folder.at('link'));
  symlinkSync('nowhere', folder.at('dangling'));
  mkdirSync(folder.at('folder'));
  symlinkSync('folder', folder.at('way'));
  renameSync(path, folder.at('folder/secrets.json'));
  for (const name of ['link', 'dangling', 'way']) {
    for (const insecure of [false, true]) {
      const error = await refusal(KEY, at(name, insecure));
      assert.match(error.message, `${folder.at(name)} is a symbolic link`);
      assert.not.match(error.hint ?? '', 'allowSymlinkCommand');
    }
  }
  assert.is(await resolveSecret(KEY, at('way/secrets.json', false)), PLANTED);
});

test('a pipe or a device is refused instead of waited for', async () => {
  const folder = tempFolder();
  const { execFileSync } = await import('node:child_process');
  execFileSync('mkfifo', [folder.at('pipe')]);
  for (const path of [folder.at('pipe'), '/dev/zero']) {
    const vault = { source: 'file', path, allowInsecurePath: true } as const;
    const error = await refusal(KEY, contextOf({ providers: { vault } }));
    assert.match(error.message, `${path} is not a regular file`);
  }
});

test('the command of a hint runs nothing that is in the name of a folder', async () => {
  const { folder } = secretFile(SECRETS);
  const path = folder.write('$(touch run)/secrets.json', SECRETS);
  chmodSync(path, 0o644);
  const context = contextOf({ providers: { vault: { source: 'file', path } } });
  const { hint } = await refusal(KEY, context);
  assert.is(hint, `chmod 600 '${path}'`);
});

test('others must not be able to read or change the file', async () => {
  const { context, path } = secretFile(SECRETS);
  for (const [mode, words] of [
    [0o620, 'is writable by other users'],
    [0o602, 'is writable by other users'],
    [0o666, 'is writable by other users'],
    [0o640, 'is readable by other users'],
    [0o604, 'is readable by other users'],
  ] as const) {
    chmodSync(path, mode);
    const error = await refusal(KEY, context);
    assert.match(error.message, `${path} ${words} (0${mode.toString(8)})`);
    assert.is(error.hint, `chmod 600 ${path}`);
  }
  for (const mode of [0o600, 0o400, 0o700]) {
    chmodSync(path, mode);
    assert.is(await resolveSecret(KEY, context), PLANTED);
  }
});

test('allowInsecurePath lets permissions pass', async () => {
  const { context, path } = secretFile(SECRETS, { allowInsecurePath: true });
  chmodSync(path, 0o666);
  assert.is(await resolveSecret(KEY, context), PLANTED);
});

test('the file must belong to the current user', async () => {
  // Only root can give a file away, and read it then.
  if (process.geteuid?.() !== ROOT_UID) return;
  const { context, path } = secretFile(SECRETS);
  chownSync(path, NOBODY, NOBODY);
  const error = await refusal(KEY, context);
  assert.match(error.message, `${path} belongs to another user (${NOBODY}, not ${ROOT_UID})`);
  const trusting = contextOf({
    providers: { vault: { source: 'file', path, allowInsecurePath: true } },
  });
  assert.is(await resolveSecret(KEY, trusting), PLANTED);
});

test('a file with a second name is refused, even where permissions are waived', async () => {
  for (const allowInsecurePath of [false, true]) {
    const { context, path, folder } = secretFile(SECRETS, { allowInsecurePath });
    linkSync(path, folder.at('second'));
    const error = await refusal(KEY, context);
    assert.match(error.message, `${path} has 2 names (hard links)`);
  }
});

test('of several faults the first by the order of the rules is reported', async () => {
  const { context, path, folder } = secretFile(PLANTED, { maxBytes: 1 });
  linkSync(path, folder.at('second'));
  chmodSync(path, 0o666);
  assert.match((await refusal(KEY, context)).message, 'is writable by other users');
  chmodSync(path, 0o644);
  assert.match((await refusal(KEY, context)).message, 'is readable by other users');
  chmodSync(path, 0o600);
  assert.match((await refusal(KEY, context)).message, 'hard links');
  const again = secretFile(PLANTED, { maxBytes: 1 });
  assert.match((await refusal(KEY, again.context)).message, 'more than 1 bytes');
});

test('on a system without owners, only waived files are accepted', () => {
  const { path } = secretFile(SECRETS);
  const guarded = { path, alias: 'vault', key: 'path', allowInsecurePath: false } as const;
  const stats = statSync(path);
  assert.throws(
    () => refuseInsecure(guarded, stats, undefined),
    (error: unknown) => error instanceof SecretFault && /cannot be checked/.test(error.message),
  );
  refuseInsecure({ ...guarded, allowInsecurePath: true }, stats, undefined);
});

test('the file is read again for each call', async () => {
  const { context, path } = secretFile(SECRETS);
  assert.is(await resolveSecret(KEY, context), PLANTED);
  writeFileSync(path, '{"key": "changed"}');
  assert.is(await resolveSecret(KEY, context), 'changed');
});

test('a file that nobody could read because the process was busy is not slow', async () => {
  const { context } = secretFile(SECRETS, { timeoutMs: 1000 });
  // Such as an index that is being built, in the same process.
  const busy = setInterval(() => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
  }, 1);
  try {
    assert.is(await resolveSecret(KEY, context), PLANTED);
  } finally {
    clearInterval(busy);
  }
});

test.run();
