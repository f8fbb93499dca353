import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { wholeEnvironment } from '../child/program.js';
import { type ProgramEnd, runProgram } from '../child/run-program.js';
import { isInside } from '../support/paths.js';
import { isRecord, parsedJson, shellWord, utf8Text } from '../support/text.js';
import {
  currentUser,
  type GuardedPath,
  linkFault,
  orPathFault,
  refuseInsecure,
  requireGuardedFile,
  statGuarded,
} from './path-safety.js';
import {
  type ExecProvider,
  type Inquiry,
  placeOf,
  type SecretContext,
  SecretFault,
  type SecretLookup,
} from './secret-context.js';

/**
 * Runs a provider's program once, for all ids.
 *
 * @throws SecretFault; or the signal's reason
 */
export async function programLookup(
  provider: ExecProvider,
  { ids, provider: alias }: Inquiry,
  { env, settings, signal }: SecretContext,
): Promise<SecretLookup> {
  const input = programRequest(alias, ids);
  refuseLarge(input, alias, settings.resolution.maxBatchBytes);
  const file = await programFile(provider, alias);
  const passed = Object.fromEntries(provider.passEnv.map((name) => [name, env[name]]));
  const end = await runProgram({
    command: [file, ...provider.args],
    // A program may act on the name that it is called by.
    argv0: provider.command,
    keepsBackground: true,
    // Of svc's own environment, only the variables in passEnv.
    env: { ...wholeEnvironment(passed), ...provider.env },
    cwd: dirname(file),
    input,
    timeoutMs: provider.timeoutMs,
    silenceMs: provider.noOutputTimeoutMs ?? provider.timeoutMs,
    maxOutputBytes: provider.maxOutputBytes,
    signal,
  });
  const hintFor = (id: string): string =>
    `to see why, run ${provider.command} with ${programRequest(alias, [id])} on stdin`;
  const stdout = stdoutOf(end, provider, alias, hintFor(ids[0] ?? ''));
  return readReply(stdout, { ids, jsonOnly: provider.jsonOnly, hintFor });
}

function refuseLarge(input: string, alias: string, maxBatchBytes: number): void {
  const bytes = Buffer.byteLength(input);
  if (bytes <= maxBatchBytes) return;
  throw new SecretFault(
    `the request to "${alias}" has ${bytes} bytes; the limit is ${maxBatchBytes}`,
    `run "svc config set secrets.resolution.maxBatchBytes ${bytes}", or use a second provider`,
  );
}

function stdoutOf(end: ProgramEnd, provider: ExecProvider, alias: string, hint: string): Buffer {
  const { command, timeoutMs, noOutputTimeoutMs = timeoutMs, maxOutputBytes } = provider;
  switch (end.kind) {
    case 'exited':
      if (end.exitCode === 0) return end.stdout;
      throw new SecretFault(`${command} exited with code ${end.exitCode}`, hint);
    case 'signalled':
      throw new SecretFault(`${command} was killed by ${end.signal}`, hint);
    case 'not-started':
      throw new SecretFault(
        `${command} cannot be started (${end.code})`,
        startHint(end.code, command),
      );
    case 'killed':
      switch (end.limit) {
        case 'timeoutMs':
          throw limitFault(`${command} took more than ${timeoutMs} ms`, alias, end.limit);
        case 'silenceMs':
          throw limitFault(
            `${command} printed nothing for ${noOutputTimeoutMs} ms`,
            alias,
            'noOutputTimeoutMs',
          );
        case 'maxOutputBytes':
          throw limitFault(
            `${command} printed more than ${maxOutputBytes} bytes`,
            alias,
            end.limit,
          );
      }
  }
}

function limitFault(why: string, alias: string, key: string): SecretFault {
  return new SecretFault(why, `fix the program, or raise ${placeOf(alias)}.${key}`);
}

function startHint(code: string, command: string): string {
  switch (code) {
    case 'EACCES':
      return `chmod u+x ${shellWord(command)}`;
    case 'ENOENT':
      return 'its first line (#!) names a program that does not exist';
    default:
      return 'check that it is a program for this system, and its args and env';
  }
}

/**
 * The file of a provider's `command`, links resolved, when it meets the rules of facts §3.3. This file is
 * run and not the link, which could change in between.
 *
 * @throws SecretFault
 */
async function programFile(provider: ExecProvider, alias: string): Promise<string> {
  const { command, trustedDirs, allowInsecurePath, allowSymlinkCommand } = provider;
  const written: GuardedPath = { path: command, alias, key: 'command', allowInsecurePath };
  const link = await statGuarded(written);
  if (link.isSymbolicLink() && !allowSymlinkCommand) throw linkFault(written);
  const path = await orPathFault(written, realpath(command));
  const program: GuardedPath = { ...written, path };
  const stats = await statGuarded(program);
  requireGuardedFile(program, stats);
  if (trustedDirs.length > 0 && !(await isInsideOne(program.path, trustedDirs))) {
    throw new SecretFault(
      `${program.path} is not in a trusted folder`,
      `add its folder to ${placeOf(alias)}.trustedDirs if you trust it`,
    );
  }
  refuseInsecure(program, stats, currentUser());
  return program.path;
}

/** @param path without links in it */
async function isInsideOne(path: string, folders: readonly string[]): Promise<boolean> {
  // Undefined for a folder that does not exist.
  const real = folders.map((folder) => realpath(folder).catch(() => undefined));
  return (await Promise.all(real)).some((one) => one !== undefined && isInside(path, one));
}

/** The version of requests and replies (facts §3.3). */
const PROTOCOL_VERSION = 1;

function programRequest(alias: string, ids: readonly string[]): string {
  return JSON.stringify({ protocolVersion: PROTOCOL_VERSION, provider: alias, ids });
}

interface ReplyOptions {
  readonly ids: readonly string[];
  readonly jsonOnly: boolean;
  /** How to see what the program replies to one id. */
  readonly hintFor: (id: string) => string;
}

/**
 * Parses the stdout of a program: `{"protocolVersion":1,"values":{…},"errors":{…}}`. Without
 * `jsonOnly` and with one id, anything but a JSON object is the value (facts §3.3).
 *
 * @throws SecretFault
 */
function readReply(stdout: Buffer, options: ReplyOptions): SecretLookup {
  const { ids, jsonOnly, hintFor } = options;
  const hint = hintFor(ids[0] ?? '');
  const text = utf8Text(stdout)?.trim();
  if (text === undefined) {
    throw new SecretFault('the output of the program is not UTF-8 text', hint);
  }
  if (text === '') throw new SecretFault('the program printed nothing', hint);
  const reply = parsedJson(text);
  if (isRecord(reply)) return replyLookup(reply, hint, hintFor);
  if (!jsonOnly && ids.length === 1) return valueLookup(typeof reply === 'string' ? reply : text);
  if (jsonOnly) throw new SecretFault('the output of the program is not a JSON object', hint);
  throw new SecretFault(
    `the program printed one value for ${ids.length} ids`,
    'use one provider per secret, or answer in JSON',
  );
}

function valueLookup(value: string): SecretLookup {
  return () =>
    value === ''
      ? new SecretFault('the program printed an empty value', 'check what it looks up')
      : value;
}

function replyLookup(
  reply: Record<string, unknown>,
  hint: string,
  hintFor: ReplyOptions['hintFor'],
): SecretLookup {
  const { protocolVersion, values, errors = {} } = reply;
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw new SecretFault(
      `the output of the program has no "protocolVersion": ${PROTOCOL_VERSION}`,
      hint,
    );
  }
  if (!isRecord(errors) || !(values === undefined || isRecord(values))) {
    throw new SecretFault(
      '"values" or "errors" in the output of the program is not an object',
      hint,
    );
  }
  return (id) => {
    // "constructor" is a valid id.
    if (Object.hasOwn(errors, id)) return new SecretFault(reasonOf(errors[id]), hintFor(id));
    const value = values !== undefined && Object.hasOwn(values, id) ? values[id] : undefined;
    if (typeof value === 'string' && value !== '') return value;
    return new SecretFault(
      value === undefined
        ? 'the program returned no value for it'
        : 'the program returned a value that is not a non-empty string',
      hintFor(id),
    );
  };
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['NOT_FOUND', 'the program does not know this id'],
  ['AMBIGUOUS_DUPLICATE_KEY', 'the program has several values for it'],
]);

/** Messages of programs may quote secrets, so only known codes are shown. */
function reasonOf(error: unknown): string {
  const code = isRecord(error) ? error['code'] : undefined;
  return REASONS.get(code) ?? 'the program returned an error for it';
}
