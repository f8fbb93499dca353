import { DEFAULT_MODELS } from '../../../config/index.js';
import type { Credential, ProviderSettings } from '../../provider-settings.js';
import { broken } from '../../read-vectors.js';
import { plainText } from '../../requests/input-text.js';
import { withRetries } from '../../requests/pacer.js';
import type { EmbeddingVendor, VendorTools } from '../../vendor.js';
import { type BedrockAuth, createClient } from './client.js';
import { credentialChain } from './credentials.js';
import { resolvePlace } from './endpoint.js';
import type { Family, FamilyCall } from './families/family.js';
import { bedrockFault } from './fault.js';
import { findModel } from './model.js';

/** All regions give the same vectors: a shell with another AWS_REGION must not embed anew. */
const ANY_REGION = 'https://bedrock-runtime.amazonaws.com';

/**
 * Amazon Bedrock through the AWS SDK. Requests are signed with what AWS's credential chain finds
 * (spec/memory-search §5), or carry a Bedrock API key where there is one.
 *
 * @throws VendorFault when the model's family cannot be told or has no such dimensions, and when no
 *   address can be made of the region
 */
export function createBedrockVendor(
  settings: ProviderSettings,
  { env }: VendorTools,
): EmbeddingVendor {
  const configured = settings.model ?? DEFAULT_MODELS.bedrock;
  const { id: modelId, family, dimensions } = findModel(configured, settings.dimensions);
  const place = resolvePlace(settings.baseUrl, env);
  const key = apiKey(settings, env['AWS_BEARER_TOKEN_BEDROCK']);
  const auth: BedrockAuth =
    key === undefined
      ? { kind: 'sigv4', credentials: credentialChain(env, place.region) }
      : { kind: 'bearer', token: key.value };
  const client = createClient(place, auth, settings.headers);
  const faultPlace = { modelId, region: place.region, tokenSource: key?.source };
  const labels = labelsOf(family, settings);
  return {
    adapter: 'bedrock',
    endpoint: client.endpoint,
    ...(place.aws ? { identityEndpoint: ANY_REGION } : {}),
    model: configured,
    limits: family.limits,
    documentForm: labels?.document ?? '',
    embed: async ({ inputs, role, signal, timeoutMs, pacing }) => {
      const call: FamilyCall = { texts: inputs.map(plainText), label: labels?.[role], dimensions };
      const body = family.body(call);
      const send = async (): Promise<string> => {
        const timed = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        return client.invoke({ modelId, body, signal: timed });
      };
      const answer = await withRetries(pacing, signal, send, (error) =>
        bedrockFault(error, faultPlace),
      );
      return family.read(parsed(answer), call);
    },
    close: async () => client.close(),
  };
}

/** A configured key goes before the environment's; set but empty, that one counts as unset. */
function apiKey(settings: ProviderSettings, fromEnv: string | undefined): Credential | undefined {
  if (settings.credential !== undefined) return settings.credential;
  const value = fromEnv?.trim();
  return value ? { value, source: 'env AWS_BEARER_TOKEN_BEDROCK' } : undefined;
}

function labelsOf(family: Family, { inputTypes }: ProviderSettings): Family['labels'] {
  if (family.labels === undefined) return undefined;
  const { document, query } = family.labels;
  return { document: inputTypes.document ?? document, query: inputTypes.query ?? query };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw broken('it is not JSON');
  }
}
