import * as z from 'zod/mini';
import { type DocumentOf, documentSchema, field } from '../errors/output-schema.js';
import { ADAPTER_IDS, PROVIDERS } from './registry.js';

const provider = z.enum(ADAPTER_IDS.filter((id) => PROVIDERS[id].key.loginFile !== undefined));

/** `svc provider login --json`. */
export const loginOutputSchema = documentSchema({
  provider: field(provider, 'The provider signed in to.'),
  account: field.optionalText('Account name; omitted if unknown.'),
  file: field.text('Absolute path of the login.'),
});

/** `svc provider logout --json`. */
export const logoutOutputSchema = documentSchema({
  provider: field(provider, 'The provider.'),
  file: field.text('Absolute path of the login.'),
  outcome: field(
    z.enum(['deleted', 'kept', 'none']),
    '`kept`: not confirmed; `none`: there was no login.',
  ),
});

export type LoginOutput = DocumentOf<typeof loginOutputSchema>;
export type LogoutOutput = DocumentOf<typeof logoutOutputSchema>;
