import { anySignal } from '../../support/async.js';
import { parsedJson } from '../../support/text.js';
import type { Provider } from '../provider.js';
import { broken } from '../read-vectors.js';
import { plainText } from '../requests/input-text.js';
import { withRetries } from '../requests/pacer.js';
import type { Credential, EmbeddingVendor, ProviderSettings, VendorTools } from '../vendor.js';
import { type BedrockAuth, createClient } from './client.js';
import { credentialChain } from './credentials.js';
import type { Family, FamilyCall } from './families.js';
import { bedrockFault } from './fault.js';
import { findModel } from './models.js';
import { resolvePlace } from './place.js';

/** All regions give the same vectors: another AWS_REGION must not re-embed everything. */
const ANY_REGION = 'https://bedrock-runtime.amazonaws.com';

/**
 * Amazon Bedrock through the AWS SDK. Requests are signed with AWS credentials (spec/memory-search
 * §5) or carry a Bedrock API key.
 *
 * @throws VendorFault if the model's family is unknown or does not support the dimensions, or the
 * region is invalid
 */
export function createBedrockVendor(
  settings: ProviderSettings & { readonly model: string },
  { env }: VendorTools,
  provider: Provider,
): EmbeddingVendor {
  const { model } = settings;
  const { id: modelId, family, dimensions } = findModel(model, settings.dimensions, provider);
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
    endpoint: client.endpoint,
    ...(place.aws ? { identityEndpoint: ANY_REGION } : {}),
    model,
    limits: family.limits,
    documentForm: labels?.document ?? '',
    embed: async ({ inputs, role, signal, timeoutMs, pacing }) => {
      const call: FamilyCall = { texts: inputs.map(plainText), label: labels?.[role], dimensions };
      const body = family.body(call);
      const send = async (): Promise<string> => {
        const timed = anySignal([signal, AbortSignal.timeout(timeoutMs)]);
        return client.invoke({ modelId, body, signal: timed });
      };
      const answer = await withRetries(pacing, signal, send, (error) =>
        bedrockFault(error, faultPlace),
      );
      const json = parsedJson(answer);
      if (json === undefined) throw broken('it is not JSON');
      const read = family.read(json, call);
      for (const { length } of read.vectors) {
        if (dimensions !== undefined && length !== dimensions) {
          throw broken(`vectors of ${length} dimensions where ${dimensions} were requested`);
        }
      }
      return read;
    },
  };
}

/** A configured key overrides the environment's; an empty variable counts as unset. */
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
