import { chmodSync, realpathSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { giveToOrdinary, ORDINARY_UID } from '../../support/ordinary-user.js';
import { tempFolder } from '../../support/temp-folder.js';
import { askBundle, bundleSecrets } from './bundle.js';
import { contextOf, PATIENT, PLANTED, ref, writeProgram } from './support.js';

const test = suite('secrets of a user whom permissions hold back');

const bundle = await bundleSecrets();

/** A folder of that user with one file in it. */
function fileWith(mode: number) {
  const folder = tempFolder();
  const path = folder.write('shut/secret', PLANTED);
  giveToOrdinary(folder.path);
  chmodSync(path, mode);
  const context = contextOf({
    providers: { vault: { source: 'file', path, mode: 'singleValue' } },
  });
  const ask = () => askBundle(bundle, ref('file', 'vault', 'value'), context, ORDINARY_UID);
  return { folder, path, ask };
}

test('the file of that user is read', async () => {
  assert.is(await fileWith(0o600).ask(), 'found');
});

test('an unreadable file or folder is reported', async () => {
  const file = fileWith(0);
  const words = 'cannot resolve file vault:value:';
  assert.is(await file.ask(), `${words} ${file.path} cannot be read by this user`);
  const { folder, path, ask } = fileWith(0o600);
  chmodSync(folder.at('shut'), 0);
  try {
    assert.is(await ask(), `${words} ${path} cannot be read by this user`);
  } finally {
    chmodSync(folder.at('shut'), 0o755);
  }
});

test('a program of another user is not run, be it the system’s', async () => {
  const command = realpathSync('/bin/sh');
  const settings = { source: 'exec', command, args: ['-c', 'echo x'], jsonOnly: false } as const;
  const ask = (allowInsecurePath: boolean) =>
    askBundle(
      bundle,
      ref('exec', 'pass', 'id'),
      contextOf({ providers: { pass: { ...settings, ...PATIENT, allowInsecurePath } } }),
      ORDINARY_UID,
    );
  const uid = ORDINARY_UID ?? process.geteuid?.();
  assert.is(
    await ask(false),
    `cannot resolve exec pass:id: ${command} belongs to another user (0, not ${uid})`,
  );
  assert.is(await ask(true), 'found, with programs');
});

test('the program of that user is run', async () => {
  const folder = tempFolder();
  const command = writeProgram(folder, 'secrets', 'sh', 'echo x');
  giveToOrdinary(folder.path);
  const context = contextOf({
    providers: { pass: { source: 'exec', command, jsonOnly: false, ...PATIENT } },
  });
  const answer = await askBundle(bundle, ref('exec', 'pass', 'id'), context, ORDINARY_UID);
  assert.is(answer, 'found, with programs');
});

test.run();
