import { chmodSync, chownSync, linkSync, symlinkSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SvcError } from '../../../src/engine/errors/index.js';
import { resolveSecret, type SecretContext } from '../../../src/engine/secrets/index.js';
import { type TempFolder, tempFolder } from '../../support/temp-folder.js';
import {
  contextOf,
  PATIENT,
  PLANTED,
  type program,
  ref,
  refusal,
  writeProgram,
} from './support.js';

const test = suite('which programs are run');

const KEY = ref('exec', 'pass', 'api/key');
const PRINT = `echo ${PLANTED}`;
const ROOT_UID = 0;
const NOBODY = 65534;

type Settings = NonNullable<Parameters<typeof program>[2]>;

function at(command: string, settings: Settings = {}): SecretContext {
  const pass = { source: 'exec', command, jsonOnly: false, ...PATIENT, ...settings } as const;
  return contextOf({ providers: { pass } });
}

/** A folder with a program in it. */
function place(path = 'bin/secrets'): { readonly folder: TempFolder; readonly command: string } {
  const folder = tempFolder();
  return { folder, command: writeProgram(folder, path, 'sh', PRINT) };
}

async function refused(command: string, settings: Settings, words: string): Promise<SvcError> {
  const error = await refusal(KEY, at(command, settings));
  assert.match(error.message, words);
  return error;
}

async function runs(command: string, settings: Settings = {}): Promise<void> {
  assert.is(await resolveSecret(KEY, at(command, settings)), PLANTED);
}

test('the command must be absolute, and there must be a file', async () => {
  const { folder, command } = place();
  const relative = await refused('secrets', {}, 'secrets is not absolute');
  assert.is(relative.hint, 'fix secrets.providers.pass.command');
  await refused(folder.at('none'), {}, `${folder.at('none')} does not exist`);
  await refused(`${command}/below`, {}, 'does not exist');
  await refused(folder.at('bin'), {}, `${folder.at('bin')} is a folder`);
});

test('a symbolic link is run only where that is allowed', async () => {
  const { folder, command } = place();
  symlinkSync(command, folder.at('link'));
  const error = await refused(folder.at('link'), {}, `${folder.at('link')} is a symbolic link`);
  assert.match(error.hint ?? '', 'svc config set secrets.providers.pass.allowSymlinkCommand true');
  await refused(folder.at('link'), { allowInsecurePath: true }, 'is a symbolic link');
  await runs(folder.at('link'), { allowSymlinkCommand: true });
});

test('the target of a link is checked like the command itself', async () => {
  const { folder, command } = place();
  const allowed = { allowSymlinkCommand: true };
  symlinkSync('nowhere', folder.at('dangling'));
  await refused(folder.at('dangling'), allowed, 'does not exist');
  symlinkSync('bin', folder.at('folder'));
  await refused(folder.at('folder'), allowed, `${folder.at('bin')} is a folder`);
  symlinkSync('loop', folder.at('loop'));
  await refused(folder.at('loop'), allowed, 'is a symbolic link');
  symlinkSync('/dev/null', folder.at('device'));
  await refused(folder.at('device'), allowed, '/dev/null is not a regular file');
  symlinkSync(command, folder.at('link'));
  chmodSync(command, 0o775);
  await refused(folder.at('link'), allowed, `${command} is writable by other users (0775)`);
});

test('a program outside of the trusted folders is not run', async () => {
  const { folder, command } = place('trusted/deep/secrets');
  const other = writeProgram(folder, 'trusted-not/secrets', 'sh', PRINT);
  const trustedDirs = [folder.at('missing'), folder.at('trusted')];
  await runs(command, { trustedDirs });
  await runs(command, { trustedDirs: [`${folder.at('trusted')}/`] });
  await runs(command, { trustedDirs: [] });
  const error = await refused(other, { trustedDirs }, `${other} is not in a trusted folder`);
  assert.match(error.hint ?? '', 'secrets.providers.pass.trustedDirs');
  await refused(other, { trustedDirs, allowInsecurePath: true }, 'is not in a trusted folder');
  const around = `${folder.at('trusted')}/../trusted-not/secrets`;
  await refused(around, { trustedDirs }, 'is not in a trusted folder');
});

test('a link does not lead out of the trusted folders, and may be one itself', async () => {
  const { folder, command } = place('trusted/secrets');
  writeProgram(folder, 'elsewhere/secrets', 'sh', PRINT);
  const trustedDirs = [folder.at('trusted')];
  symlinkSync(folder.at('elsewhere/secrets'), folder.at('trusted/link'));
  const settings = { trustedDirs, allowSymlinkCommand: true };
  await refused(folder.at('trusted/link'), settings, 'is not in a trusted folder');
  symlinkSync(folder.at('elsewhere'), folder.at('trusted/way'));
  await refused(folder.at('trusted/way/secrets'), { trustedDirs }, 'is not in a trusted folder');
  symlinkSync(command, folder.at('link'));
  await runs(folder.at('link'), settings);
  symlinkSync('trusted', folder.at('alias'));
  await runs(command, { trustedDirs: [folder.at('alias')] });
});

test('others must not be able to change the program; they may read and run it', async () => {
  const { command } = place();
  for (const mode of [0o720, 0o702, 0o777]) {
    chmodSync(command, mode);
    const words = `${command} is writable by other users (0${mode.toString(8)})`;
    const error = await refused(command, {}, words);
    assert.is(error.hint, `chmod go-w ${command}`);
    await runs(command, { allowInsecurePath: true });
  }
  for (const mode of [0o700, 0o755]) {
    chmodSync(command, mode);
    await runs(command);
  }
});

test('the program must belong to the current user', async () => {
  // Only root can give a file away.
  if (process.geteuid?.() !== ROOT_UID) return;
  const { command } = place();
  chownSync(command, NOBODY, NOBODY);
  await refused(command, {}, `${command} belongs to another user (${NOBODY}, not ${ROOT_UID})`);
  await runs(command, { allowInsecurePath: true });
});

test('a program may have several names', async () => {
  const { folder, command } = place();
  linkSync(command, folder.at('second'));
  await runs(command);
});

test('a command that cannot be started is reported with a hint', async () => {
  const { folder, command } = place();
  chmodSync(command, 0o600);
  const sealed = await refused(command, {}, `${command} cannot be started (EACCES)`);
  assert.is(sealed.hint, `chmod u+x ${command}`);
  const lost = folder.write('lost', '#!/nowhere/interpreter\n');
  chmodSync(lost, 0o700);
  const missing = await refused(lost, {}, `${lost} cannot be started (ENOENT)`);
  assert.match(missing.hint ?? '', '#!');
  chmodSync(command, 0o700);
  await refused(command, { args: [`${PLANTED}\0`] }, 'cannot be started (ERR_INVALID_ARG_VALUE)');
  await refused(command, { env: { KEY: `${PLANTED}\0` } }, 'cannot be started');
  await refused(command, { args: [PLANTED.repeat(100_000)] }, 'cannot be started (E2BIG)');
});

test.run();
