import * as z from 'zod/mini';
import { atMost, integer, key, pattern, requiredKey, section, text } from './keys.js';
import { providerAlias } from './secret.js';

const MAX_BYTES = 20 * 1_048_576;

const absolutePath = () => pattern(/^(?:\/|[A-Za-z]:[\\/])/u, 'an absolute path');
const timeout = () => integer(1, 120_000);
const insecurePath = () =>
  key(z.boolean(), '`file`, `exec`: skip the check of owner and permissions of the path');

const env = () =>
  z.strictObject({
    source: requiredKey(z.literal('env'), 'Kind of provider'),
    allowlist: key(z.array(text()).check(atMost(256)), '`env`: only these variables may be read'),
  });

const file = () =>
  z.strictObject({
    source: requiredKey(z.literal('file'), 'Kind of provider'),
    path: requiredKey(absolutePath(), '`file`: the file with the secrets'),
    mode: key(
      z.enum(['json', 'singleValue']),
      '`file`: a JSON object, or one value that is the whole file',
    ),
    timeoutMs: key(timeout(), 'How long getting secrets may take, in milliseconds'),
    maxBytes: key(integer(1, MAX_BYTES), '`file`: size of the file, in bytes'),
    allowInsecurePath: insecurePath(),
  });

const exec = () =>
  z.strictObject({
    source: requiredKey(z.literal('exec'), 'Kind of provider'),
    command: requiredKey(
      pattern(
        /^(?:\/|[A-Za-z]:[\\/])[^;&|`$<>"'*?(){}\p{Cc}]*$/u,
        'an absolute path without quotes and shell characters',
      ),
      '`exec`: program that prints secrets; no shell',
    ),
    args: key(z.array(z.string().check(atMost(1024))).check(atMost(128)), '`exec`: its arguments'),
    timeoutMs: key(timeout(), 'How long getting secrets may take, in milliseconds'),
    noOutputTimeoutMs: key(timeout(), '`exec`: how long it may be silent, in milliseconds'),
    maxOutputBytes: key(integer(1, MAX_BYTES), '`exec`: size of all it prints, in bytes'),
    jsonOnly: key(z.boolean(), '`exec`: refuse answers that are not JSON'),
    env: key(
      z.record(text(), z.string()),
      '`exec`: environment variables set for it; values are treated as secrets',
    ),
    passEnv: key(z.array(text()).check(atMost(128)), '`exec`: variables handed on to it'),
    trustedDirs: key(
      z.array(absolutePath()).check(atMost(64)),
      '`exec`: folders that the program must lie in',
    ),
    allowInsecurePath: insecurePath(),
    allowSymlinkCommand: key(z.boolean(), '`exec`: the program may be a symbolic link'),
  });

/** `secrets`: where references get their values (facts §3.2). */
export function secrets() {
  return z.strictObject({
    providers: key(
      z.record(providerAlias(), z.discriminatedUnion('source', [env(), file(), exec()])),
      'Providers by alias',
    ),
    defaults: section(
      () =>
        z.strictObject({
          env: key(providerAlias(), 'Alias used by `env` references that name none'),
          file: key(providerAlias(), 'Alias used by `file` references that name none'),
          exec: key(providerAlias(), 'Alias used by `exec` references that name none'),
        }),
      'Aliases used when a reference names none',
    ),
    resolution: section(
      () =>
        z.strictObject({
          maxProviderConcurrency: key(integer(1, 16), 'Providers asked at the same time'),
          maxRefsPerProvider: key(integer(1, 4096), 'References asked of one provider'),
          maxBatchBytes: key(
            integer(1, 5 * 1_048_576),
            'Size of one request to a program, in bytes',
          ),
        }),
      'Limits on resolving',
    ),
  });
}
