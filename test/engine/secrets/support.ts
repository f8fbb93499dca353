import { chmodSync } from 'node:fs';
import { inspect } from 'node:util';
import * as assert from 'uvu/assert';
import type { ConfigInput, SecretInput } from '../../../src/engine/config/index.js';
import { resolveConfig } from '../../../src/engine/config/index.js';
import type { SvcError } from '../../../src/engine/errors/index.js';
import {
  describeSecret,
  resolveSecret,
  type SecretContext,
} from '../../../src/engine/secrets/index.js';
import { failureOf } from '../../support/failure.js';
import { type TempFolder, tempFolder } from '../../support/temp-folder.js';

/** The value of every secret in these tests: no error may show it. */
export const PLANTED = 'sk-planted-4f9a-never-shown';

type Providers = NonNullable<NonNullable<ConfigInput['secrets']>['providers']>;
type FileInput = Extract<Providers[string], { source: 'file' }>;
type ExecInput = Extract<Providers[string], { source: 'exec' }>;

/** A context with these settings; the environment is empty unless given. */
export function contextOf(
  secrets: ConfigInput['secrets'],
  rest: Partial<Omit<SecretContext, 'settings'>> = {},
): SecretContext {
  return { env: {}, ...rest, settings: resolveConfig({ secrets }).secrets };
}

/** A reference to a secret. */
export function ref(source: 'env' | 'exec' | 'file', provider: string, id: string): SecretInput {
  return { kind: 'reference', source, provider, id };
}

/** The error of a secret that cannot be resolved; fails the test when it can, or shows a value. */
export async function refusal(input: SecretInput, context: SecretContext): Promise<SvcError> {
  const error = await failureOf(() => resolveSecret(input, context));
  assert.is(error.code, 'SECRET_UNRESOLVED');
  assert.ok(error.message.startsWith(`cannot resolve ${describeSecret(input)}: `), error.message);
  assertShowsNothing(error);
  return error;
}

/** Fails when an error has a hint missing or the planted value in any part of it. */
export function assertShowsNothing(error: SvcError): void {
  assert.ok(error.hint !== undefined && error.hint !== '', error.message);
  const everything = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true });
  assert.not.ok(everything.includes(PLANTED), everything);
}

/** A folder with a file of secrets that only its owner may read. */
export function secretFile(
  content: string | Uint8Array,
  settings: Partial<FileInput> = {},
): { readonly folder: TempFolder; readonly path: string; readonly context: SecretContext } {
  const folder = tempFolder();
  const path = folder.write('secrets.json', content);
  chmodSync(path, 0o600);
  const vault: FileInput = { source: 'file', path, ...settings };
  return { folder, path, context: contextOf({ providers: { vault } }) };
}

/** A folder with a program in it: a shell script, or a script of Node.js. */
export function program(
  language: 'node' | 'sh',
  body: string,
  settings: Partial<ExecInput> = {},
  rest: Partial<Omit<SecretContext, 'settings'>> = {},
): { readonly folder: TempFolder; readonly command: string; readonly context: SecretContext } {
  const folder = tempFolder();
  const command = writeProgram(folder, 'secrets', language, body);
  const pass: ExecInput = { source: 'exec', command, ...PATIENT, ...settings };
  return { folder, command, context: contextOf({ providers: { pass } }, rest) };
}

/** So that a busy machine does not end a program that a test is not about to see ended. */
export const PATIENT = { timeoutMs: 60_000 } as const;

/** Writes an executable program and returns its path. */
export function writeProgram(
  folder: TempFolder,
  name: string,
  language: 'node' | 'sh',
  body: string,
): string {
  const interpreter = language === 'sh' ? '/bin/sh' : process.execPath;
  const path = folder.write(name, `#!${interpreter}\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** A script of Node.js that reads the request and prints `reply(request)`. */
export function replying(reply: string): string {
  return `
    const reply = ${reply};
    let text = '';
    process.stdin.on('data', (part) => { text += part; });
    process.stdin.on('end', () => {
      process.stdout.write(JSON.stringify(reply(JSON.parse(text))));
    });`;
}
