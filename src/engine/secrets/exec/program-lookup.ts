import { dirname } from 'node:path';
import type { ExecProvider, Inquiry, SecretContext } from '../secret-context.js';
import { placeOf, SecretFault, type SecretLookup } from '../secret-fault.js';
import { findProgram } from './find-program.js';
import { programRequest, readReply } from './program-reply.js';
import { type ProgramEnd, runProgram } from './run-program.js';

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
  const file = await findProgram(provider, alias);
  const end = await runProgram({
    file,
    // One program may have many names, and tell them apart.
    name: provider.command,
    args: provider.args,
    env: environmentOf(provider, env),
    cwd: dirname(file),
    input,
    timeoutMs: provider.timeoutMs,
    silenceMs: provider.noOutputTimeoutMs ?? provider.timeoutMs,
    maxOutputBytes: provider.maxOutputBytes,
    signal,
  });
  const request = programRequest(alias, ids.slice(0, 1));
  const hint = `to see why, run ${provider.command} by hand with ${request} on its stdin`;
  const stdout = stdoutOf(end, provider, alias, hint);
  return readReply(stdout, { ids, jsonOnly: provider.jsonOnly, hint });
}

function refuseLarge(input: string, alias: string, maxBatchBytes: number): void {
  const bytes = Buffer.byteLength(input);
  if (bytes <= maxBatchBytes) return;
  throw new SecretFault(
    `asking "${alias}" for all its secrets takes ${bytes} bytes, more than ${maxBatchBytes}`,
    `svc config set secrets.resolution.maxBatchBytes ${bytes}, or use a second provider`,
  );
}

/** Nothing of svc's own environment but what is named. */
function environmentOf(
  { env, passEnv }: ExecProvider,
  own: SecretContext['env'],
): Record<string, string> {
  const passed = passEnv.flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...env };
}

function stdoutOf(end: ProgramEnd, provider: ExecProvider, alias: string, hint: string): Buffer {
  const { command, timeoutMs, noOutputTimeoutMs = timeoutMs, maxOutputBytes } = provider;
  switch (end.kind) {
    case 'exited':
      if (end.exitCode === 0) return end.stdout;
      throw new SecretFault(`${command} ended with exit code ${end.exitCode}`, hint);
    case 'signalled':
      throw new SecretFault(`${command} was ended by ${end.signal}`, hint);
    case 'not-started':
      throw new SecretFault(
        `${command} cannot be started (${end.code})`,
        startHint(end.code, command),
      );
    case 'killed':
      switch (end.limit) {
        case 'timeoutMs':
          throw tooMuch(`${command} took more than ${timeoutMs} ms`, alias, end.limit);
        case 'silenceMs':
          throw tooMuch(
            `${command} was silent for ${noOutputTimeoutMs} ms`,
            alias,
            'noOutputTimeoutMs',
          );
        case 'maxOutputBytes':
          throw tooMuch(`${command} printed more than ${maxOutputBytes} bytes`, alias, end.limit);
      }
  }
}

function tooMuch(why: string, alias: string, key: string): SecretFault {
  return new SecretFault(why, `mend the program, or raise ${placeOf(alias)}.${key}`);
}

function startHint(code: string, command: string): string {
  switch (code) {
    case 'EACCES':
      return `chmod u+x ${JSON.stringify(command)}`;
    case 'ENOENT':
      return 'its first line (#!) names a program that is not there';
    default:
      return 'check that it is a program for this system, and what its args and env hold';
  }
}
