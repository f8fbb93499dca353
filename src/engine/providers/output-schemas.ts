import * as z from 'zod/mini';
import { type DocumentOf, documentSchema, field, objectOrNull } from '../errors/output-schema.js';
import { ADAPTER_IDS, PROVIDERS } from './registry.js';

/*
 * Schemas of the JSON output of what changes a provider: login, logout and installing. Tests check them and
 * docs/json.md is generated from them; no command loads them.
 */

const provider = z.enum(ADAPTER_IDS.filter((id) => PROVIDERS[id].key.loginFile !== undefined));

/** `svc provider login --json`. */
export const loginOutputSchema = documentSchema({
  provider: field(provider, 'The provider signed in to.'),
  account: field(z.optional(z.string()), 'Account name; omitted if unknown.'),
  file: field(z.string(), 'Absolute path of the login.'),
});

/** `svc provider logout --json`. */
export const logoutOutputSchema = documentSchema({
  provider: field(provider, 'The provider.'),
  file: field(z.string(), 'Absolute path of the login.'),
  outcome: field(
    z.enum(['deleted', 'kept', 'none']),
    '`kept`: not confirmed; `none`: there was no login.',
  ),
});

const size = z.int().check(z.minimum(0));

/** `svc provider install local --json`. */
export const installLocalOutputSchema = documentSchema({
  runtime: field(
    z.strictObject({
      outcome: field(
        z.enum(['absent', 'already', 'installed', 'removed']),
        '`absent`: there was nothing to remove.',
      ),
      version: field(z.nullable(z.string()), 'Version; `null` if there is none.'),
      folder: field(z.nullable(z.string()), 'Absolute path of its (former) folder.'),
      gpu: field(z.boolean(), 'Whether the GPU variants are included.'),
      bytes: field(size, 'Size on disk.'),
    }),
    'node-llama-cpp, which computes the vectors.',
  ),
  model: field(
    objectOrNull({
      outcome: field(z.enum(['already', 'downloaded']), '`already`: it was already on disk.'),
      name: field(z.string(), 'The reference without secrets, or the file name.'),
      path: field(z.string(), 'Absolute path of the file.'),
      bytes: field(size, 'Size.'),
    }),
    '`null` with `--no-model` and `--remove`.',
  ),
});

export type LoginOutput = DocumentOf<typeof loginOutputSchema>;
export type LogoutOutput = DocumentOf<typeof logoutOutputSchema>;
export type InstallLocalOutput = DocumentOf<typeof installLocalOutputSchema>;
