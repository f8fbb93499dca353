import { MEMORY_SEARCH_DEFAULTS, type ResolvedMemorySearch } from '../config/index.js';
import {
  addressUsed,
  dimensionsToAsk,
  isCustomAddress,
  PROVIDERS,
  type Provider,
} from '../providers/registry.js';
import { shownAddress } from '../providers/vendor-fault.js';
import type { ProviderChoice } from './choose-provider.js';
import type { EmbeddingIdentity } from './embedding-adapter.js';

/** An identity as a string: equal strings mean comparable vectors. */
export function identityKey(identity: EmbeddingIdentity): string {
  const { adapter, endpoint, model, dimensions, documentForm, contextSize } = identity;
  // Undefined for the default, which keeps the keys of older indexes unchanged.
  return JSON.stringify({ adapter, endpoint, model, dimensions, documentForm, contextSize });
}

/**
 * The key that vectors get when all are to be re-embedded: they answer queries until the new ones
 * are complete.
 */
export function supersededKey(key: string): string {
  return JSON.stringify({ ...fieldsOf(key), superseded: true });
}

export function isSuperseded(key: string): boolean {
  return fieldsOf(key)['superseded'] === true;
}

/** The context size of a local model; undefined for the default, and for other models. */
export function identityContextSize(
  { runsOn }: Provider,
  { local: { contextSize } }: Pick<ResolvedMemorySearch, 'local'>,
): number | undefined {
  const isUsual = runsOn !== 'process' || contextSize === MEMORY_SEARCH_DEFAULTS.local.contextSize;
  return isUsual ? undefined : contextSize;
}

/** Versions of svc may have written other fields. */
export function fieldsOf(key: string): Readonly<Record<string, unknown>> {
  const fields: unknown = JSON.parse(key);
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

/** What the vector of a query depends on; document labels do not matter. */
const QUESTION_FIELDS = ['adapter', 'endpoint', 'model', 'dimensions'] as const;

/** Whether queries embedded under one key can be compared with documents of another. */
export function canCompare(question: string, documents: string): boolean {
  const [embedded, stored] = [fieldsOf(question), fieldsOf(documents)];
  return QUESTION_FIELDS.every((field) => embedded[field] === stored[field]);
}

const FIELDS = [...QUESTION_FIELDS, 'documentForm', 'contextSize', 'superseded'] as const;

/** The names of the fields for people, where they differ. */
const FIELD_NAMES: Readonly<Partial<Record<(typeof FIELDS)[number], string>>> = {
  endpoint: 'address',
  dimensions: 'length',
  documentForm: 'document label',
  contextSize: 'local.contextSize',
};

/** The fields in which two identities differ, with both values, as text. */
export function identityKeyDifferences(stored: string, wanted: string): readonly string[] {
  const [before, after] = [fieldsOf(stored), fieldsOf(wanted)];
  return FIELDS.filter((field) => before[field] !== after[field]).map((field) =>
    field === 'superseded'
      ? 'embedding from scratch was requested'
      : `${FIELD_NAMES[field] ?? field}: ${valueText(before[field])} → ${valueText(after[field])}`,
  );
}

function valueText(value: unknown): string {
  return value === null || value === '' || value === undefined ? 'default' : String(value);
}

/**
 * The identity as far as settings determine it. What only the provider's code knows (a region, an
 * account, a document prefix) is absent and counts as equal.
 */
export type ExpectedIdentity = Partial<EmbeddingIdentity>;

/** For status commands, which must not open a provider. */
export function expectedIdentity(
  choice: ProviderChoice,
  settings: ResolvedMemorySearch,
): ExpectedIdentity {
  const { adapter, isPrimary } = choice;
  const provider = PROVIDERS[adapter];
  const endpoint = endpointOf(choice);
  const model = modelOf(choice);
  const setting = isPrimary ? settings.outputDimensionality : undefined;
  // The vendor itself has no field for it.
  const isLabelled = isPrimary && isCustomAddress(provider, choice.baseUrl);
  const label = isLabelled ? (settings.documentInputType ?? settings.inputType) : undefined;
  return {
    adapter,
    ...(endpoint === undefined ? {} : { endpoint }),
    // What a model can be asked for depends on it.
    ...(model === undefined
      ? {}
      : { model, dimensions: dimensionsToAsk(provider, model, setting) ?? null }),
    ...(provider.inputTypes === 'custom-address' ? { documentForm: label ?? '' } : {}),
    contextSize: identityContextSize(provider, settings),
  };
}

/** Undefined for a local one, which is known by its file, and where the vendor's list decides. */
function modelOf({ adapter, model }: ProviderChoice): string | undefined {
  const provider = PROVIDERS[adapter];
  return provider.runsOn === 'process' ? undefined : (model ?? provider.model ?? undefined);
}

function endpointOf({ adapter, baseUrl }: ProviderChoice): string | undefined {
  const provider = PROVIDERS[adapter];
  if (baseUrl !== undefined) return shownAddress(addressUsed(provider, baseUrl));
  const { endpoint, endpointKnown } = provider;
  return endpointKnown === 'always' ? (endpoint ?? undefined) : undefined;
}

/** The fields in which a stored identity differs from what the settings say, for people. */
export function expectedDifferences(stored: string, expected: ExpectedIdentity): readonly string[] {
  const filled = { ...fieldsOf(stored), superseded: undefined, ...expected };
  return identityKeyDifferences(stored, JSON.stringify(filled));
}
