import * as z from 'zod/mini';
import { atMost, nonEmpty } from '../../support/lengths.js';
import { ENV_NAME, referencedVariable } from '../secret-input.js';
import { integer, key, NOTES, pattern, requiredKey, section, text } from './keys.js';

const MAX_BYTES = 20 * 1_048_576;

const absolutePath = () => pattern(/^(?:\/|[A-Za-z]:[\\/])/u, 'an absolute path');
const timeout = () => integer(1, 120_000);
const insecurePath = () =>
  key(z.boolean(), '`file`, `exec`: skip checking owner and permissions of the path');

const env = () =>
  z.strictObject({
    source: requiredKey(z.literal('env'), 'Type of provider'),
    allowlist: key(z.array(text()).check(atMost(256)), '`env`: the only variables it can read'),
  });

const file = () =>
  z.strictObject({
    source: requiredKey(z.literal('file'), 'Type of provider'),
    path: requiredKey(absolutePath(), '`file`: the file with the secrets'),
    mode: key(z.enum(['json', 'singleValue']), '`file`: a JSON object, or a single value'),
    timeoutMs: key(timeout(), 'Time limit, in milliseconds'),
    maxBytes: key(integer(1, MAX_BYTES), '`file`: maximum size of the file, in bytes'),
    allowInsecurePath: insecurePath(),
  });

const exec = () =>
  z.strictObject({
    source: requiredKey(z.literal('exec'), 'Type of provider'),
    command: requiredKey(
      pattern(
        /^(?:\/|[A-Za-z]:[\\/])[^;&|`$<>"'*?(){}\p{Cc}]*$/u,
        'an absolute path without quotes or shell characters',
      ),
      '`exec`: program that prints secrets, run without a shell',
    ),
    args: key(z.array(z.string().check(atMost(1024))).check(atMost(128)), '`exec`: its arguments'),
    timeoutMs: key(timeout(), 'Time limit, in milliseconds'),
    noOutputTimeoutMs: key(timeout(), '`exec`: time limit without output, in milliseconds'),
    maxOutputBytes: key(integer(1, MAX_BYTES), '`exec`: maximum size of its output, in bytes'),
    jsonOnly: key(z.boolean(), '`exec`: only accept JSON output'),
    env: key(
      z.record(text(), z.string()),
      '`exec`: additional environment variables; values are treated as secrets',
    ),
    passEnv: key(z.array(text()).check(atMost(128)), '`exec`: environment variables to pass on'),
    trustedDirs: key(
      z.array(absolutePath()).check(atMost(64)),
      '`exec`: folders that must contain the program',
    ),
    allowInsecurePath: insecurePath(),
    allowSymlinkCommand: key(z.boolean(), '`exec`: allow the program to be a symbolic link'),
  });

/** `secrets`: where references get their values (facts §3.2). */
export const secrets = () => ({
  providers: key(
    z.record(providerAlias(), z.discriminatedUnion('source', [env(), file(), exec()])),
    'Providers by alias',
  ),
  defaults: section('Aliases for references that do not name one', () => ({
    env: key(providerAlias(), 'Alias used by `env` references that do not name one'),
    file: key(providerAlias(), 'Alias used by `file` references that do not name one'),
    exec: key(providerAlias(), 'Alias used by `exec` references that do not name one'),
  })),
  resolution: section('Limits for resolving secrets', () => ({
    maxProviderConcurrency: key(integer(1, 16), 'Maximum number of providers to query at once'),
    maxRefsPerProvider: key(integer(1, 4096), 'Maximum number of references per provider'),
    maxBatchBytes: key(
      integer(1, 5 * 1_048_576),
      'Maximum size of one request to a program, in bytes',
    ),
  })),
});

const ALIAS = /^[a-z][a-z0-9_-]{0,63}$/u;
const JSON_POINTER = /^(?:value|(?:\/(?:[^~/]|~[01])*)+)$/u;
const COMMAND_ID = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$/u;

/** The name of a `secrets.providers` entry (facts §3.1). */
function providerAlias() {
  return pattern(ALIAS, 'at most 64 lowercase letters, digits, _ and -, starting with a letter');
}

function reference<Source extends 'env' | 'file' | 'exec'>(
  source: Source,
  id: RegExp,
  form: string,
) {
  return z.strictObject({
    source: requiredKey(z.literal(source), 'Where the value is stored'),
    provider: key(
      providerAlias(),
      'Alias of a `secrets.providers` entry; defaults to that of `secrets.defaults`',
    ),
    id: requiredKey(pattern(id, form), 'What to request from the provider'),
  });
}

/** `{source, provider, id}`, with ids as in facts §3.1. */
function secretReference() {
  return z.discriminatedUnion('source', [
    reference('env', ENV_NAME, 'a variable name of uppercase letters, digits and _'),
    reference('file', JSON_POINTER, 'a JSON pointer like "/providers/openai", or "value"'),
    reference('exec', COMMAND_ID, 'letters, digits and . _ : / -, without a .. part'),
  ]);
}

/** A secret: plain text, `env:NAME`, `${NAME}` or a SecretRef. parseSecret parses it. */
export function secret() {
  const plain = z
    .string()
    .check(nonEmpty(), z.refine(namesVariableWell), z.refine(hasNoSpaceAround))
    .register(NOTES, {
      form: 'a non-empty string without surrounding spaces ("env:" must be followed by a variable name like API_KEY)',
    });
  return z.union([plain, secretReference()]);
}

/** Header values may be secrets in any form. */
export function headers() {
  return z.record(
    pattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, 'the name of an HTTP header'),
    secret(),
  );
}

/** Surrounding space is never intended; headers and comparisons would drop it. */
function hasNoSpaceAround(value: string): boolean {
  return value === value.trim();
}

function namesVariableWell(value: string): boolean {
  const name = referencedVariable(value);
  return name === undefined || ENV_NAME.test(name);
}
