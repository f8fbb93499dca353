import * as z from 'zod/mini';
import { ENV_NAME, referencedVariable } from '../secret-input.js';
import { key, NOTES, nonEmpty, pattern, requiredKey } from './keys.js';

const ALIAS = /^[a-z][a-z0-9_-]{0,63}$/u;
const JSON_POINTER = /^(?:value|(?:\/(?:[^~/]|~[01])*)+)$/u;
const COMMAND_ID = /^(?!(?:.*\/)?\.{1,2}(?:\/|$))[A-Za-z0-9][A-Za-z0-9._:/-]{0,255}$/u;

/** The name of a `secrets.providers` entry (facts §3.1). */
export function providerAlias() {
  return pattern(ALIAS, 'a name of small letters, digits, _ and -, at most 64, a letter first');
}

function reference<Source extends 'env' | 'file' | 'exec'>(
  source: Source,
  id: RegExp,
  form: string,
) {
  return z.strictObject({
    source: requiredKey(z.literal(source), 'Kind of place that keeps the value'),
    provider: key(
      providerAlias(),
      'Alias of a `secrets.providers` entry; without it that of `secrets.defaults`',
    ),
    id: requiredKey(pattern(id, form), 'What to ask the provider for'),
  });
}

/** `{source, provider, id}` with the id rules of facts §3.1. */
function secretReference() {
  return z.discriminatedUnion('source', [
    reference('env', ENV_NAME, 'a variable name of capitals, digits and _'),
    reference('file', JSON_POINTER, 'a JSON pointer like "/providers/openai", or "value"'),
    reference('exec', COMMAND_ID, 'letters, digits and . _ : / -, without a .. part'),
  ]);
}

/** A secret: plain text, `env:NAME`, `${NAME}` or a SecretRef. Parsed by parseSecret, not here. */
export function secret() {
  const plain = z.string().check(nonEmpty(), z.refine(namesVariableWell)).register(NOTES, {
    form: 'a non-empty string (after "env:" a variable name like API_KEY)',
  });
  return z.union([plain, secretReference()]);
}

/** Names of headers to their values; a value may be a secret in any of its forms. */
export function headers() {
  return z.record(
    pattern(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u, 'the name of an HTTP header'),
    secret(),
  );
}

function namesVariableWell(value: string): boolean {
  const name = referencedVariable(value);
  return name === undefined || ENV_NAME.test(name);
}
