import * as z from 'zod/mini';
import {
  count,
  type DeepReadonly,
  type DocumentOf,
  documentSchema,
  field,
  locationFields,
  objectField,
  optionalObjectField,
} from '../errors/output-schema.js';
import { ADAPTER_IDS } from '../providers/registry.js';
import { CHECKS } from './diagnosis/check-names.js';

const adapter = z.enum(ADAPTER_IDS);

const listedProvider = z.strictObject({
  provider: field.text("An adapter's id, or that of a `models.providers` entry."),
  adapter: field(adapter, 'The adapter behind it.'),
  kind: field.textOrNull("The adapter's kind, accepted wherever its id is; `null` if none."),
  role: field(z.nullable(z.enum(['fallback', 'primary'])), 'Role for the agent; `null` if unused.'),
  configured: field.flag('Whether `provider`, `fallback` or `models.providers` name it.'),
  credential: objectField('Its key, never the value.', {
    state: field(
      z.enum(['found', 'missing', 'not_needed']),
      '`missing`: a key is needed and was not found.',
    ),
    source: field.textOrNull(
      'Where it comes from; `null` if none. With state `not_needed`: a variable that is set but withheld from the configured address.',
    ),
    set: field(
      z.nullable(z.boolean()),
      'Whether it has a value; `null` if only reading a file or running a program would show.',
    ),
    hint: field.textOrNull('How to set it; `null` if there is nothing to do.'),
  }),
  model: field.textOrNull("Configured, else the default; `null` if the vendor's list decides."),
  dimensions: field(
    z.nullable(count),
    'Requested, else the default of the model; `null` if unknown.',
  ),
  endpoint: field.textOrNull('Address, or `local`; `null` if region or account decide.'),
  cost: field(
    z.enum(['free', 'per_token', 'self_hosted', 'subscription', 'unknown']),
    '`unknown`: depends on the configured address.',
  ),
  batch: field.flag('Whether the vendor has a batch API.'),
  autoPlace: field(
    z.nullable(count),
    'Position in auto-detection, from 1; `null` if never detected.',
  ),
  available: field.flag('Whether auto-detection could use it.'),
  why: field.text('Why it is or is not used, as text.'),
});

/** `svc provider list --json`. */
export const providerListOutputSchema = documentSchema({
  agent: field.text('Whose settings were used.'),
  primary: field.textOrNull('The selected provider; `null` for keyword search only.'),
  fallback: field.textOrNull('The provider used if that fails; `null` if none.'),
  providers: field(z.array(listedProvider), 'One entry per provider.'),
});

/** One check of a provider path; also in `deep` of `svc memory status`. */
const checkSchema = z.strictObject({
  check: field(
    z.enum([...CHECKS, 'program', 'release', 'collections', 'question']),
    '`selected`: which provider, and what selected it. `key`: where the key is, and whether it can be read. `endpoint`: whether the address responds. `embed`: embeds a word. `vectors`: those in the index. `rerank`: reranks two texts.',
  ),
  state: field(
    z.enum(['failed', 'off', 'ok', 'warning']),
    '`off`: not used, or not tried because of an earlier failure.',
  ),
  text: field.text('What was checked, as text. Never a key.'),
  note: field.optionalText('Details.'),
  code: field.optionalText('Error code, see [errors.md](errors.md).'),
  cause: field.optionalText('Error message.'),
  hint: field.optionalText('How to fix it.'),
  location: optionalObjectField('Location of the setting.', locationFields),
  latencyMs: field(
    z.optional(z.number()),
    'Of the connection, of embedding or of reranking; milliseconds.',
  ),
  dimensions: field(z.optional(count), 'Length of the vectors.'),
  passages: optionalObjectField('Only for `vectors`.', {
    done: field.count('Passages with a current vector.'),
    all: field.count('Passages in the index.'),
  }),
});

/** Result of a diagnosis. */
export const diagnosisSchema = z.strictObject({
  scope: field(
    z.enum(['ext', 'named', 'path']),
    '`path`: everything a query needs. `named`: one provider, whatever is configured. `ext`: the external search program.',
  ),
  ok: field.flag('False if a provider is selected but queries cannot be embedded.'),
  usable: field(
    z.nullable(z.enum(['fallback', 'primary'])),
    'Who would embed a query now; `null` if nobody can.',
  ),
  provider: field.textOrNull('The selected provider; `null` for keyword search only.'),
  adapter: field(z.nullable(adapter), 'The adapter behind it.'),
  checks: field(z.array(checkSchema), 'In display order; checks that do not apply are omitted.'),
});

/** `svc provider test --json`. */
export const providerTestOutputSchema = documentSchema({
  agent: field.textOrNull('Whose settings were used; `null` for a workspace without an agent.'),
  ...diagnosisSchema.shape,
});

export type ProviderListOutput = DocumentOf<typeof providerListOutputSchema>;
/** One provider that an agent could use. */
export type ListedProvider = ProviderListOutput['providers'][number];
export type Diagnosis = DeepReadonly<z.infer<typeof diagnosisSchema>>;
export type CheckName = Diagnosis['checks'][number]['check'];
/** Result of one check. Texts contain no secrets. */
export type CheckOutcome = Omit<Diagnosis['checks'][number], 'check'>;
export type ProviderTestOutput = DocumentOf<typeof providerTestOutputSchema>;
