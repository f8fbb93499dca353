import { allowsDimensions, bareName, describeDimensions, dimensionsOf } from '../dimensions.js';
import { jsonAt, numberAt, textAt } from '../http/status-fault.js';
import type { Provider } from '../provider.js';
import { broken, readVector } from '../read-vectors.js';
import type { RequestLimits, VendorAnswer } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';

export interface FamilyCall {
  readonly texts: readonly string[];
  /** The role in the family's words; undefined if it has none. */
  readonly label: string | undefined;
  /** Requested length; undefined if the model has only one. */
  readonly dimensions: number | undefined;
}

/**
 * Models with the same request format. Bedrock passes bodies on and rejects keys unknown to the
 * model.
 */
export interface Family {
  readonly limits: RequestLimits;
  /** The family's labels of the two roles; undefined if it has none. */
  readonly labels: { readonly document: string; readonly query: string } | undefined;
  /** The length requested by default; undefined if none can be requested. */
  readonly defaultDimensions: number | undefined;
  body(call: FamilyCall): Readonly<Record<string, unknown>>;
  /** Reads a JSON answer. @throws VendorFault */
  read(answer: unknown, call: FamilyCall): VendorAnswer;
}

/** One text per request, as in all families but Cohere's. */
function oneText(maxTokens: number, maxChars?: number): RequestLimits {
  return {
    maxInputs: 1,
    maxTokensPerInput: maxTokens,
    maxTokensPerRequest: maxTokens,
    ...(maxChars === undefined ? {} : { maxCharsPerInput: maxChars }),
  };
}

/** The first value that exists. */
function firstAt(answer: unknown, paths: readonly (readonly (number | string)[])[]): unknown {
  for (const path of paths) {
    const value = jsonAt(answer, ...path);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** `amazon.titan-embed-text-v1` and `-g1-text-02` ("Amazon Titan Embeddings G1 - Text"). */
const TITAN_TEXT: Family = {
  limits: oneText(8192, 50_000),
  labels: undefined,
  defaultDimensions: undefined,
  body: ({ texts: [inputText] }) => ({ inputText }),
  read: readTitan,
};

/** `amazon.titan-embed-text-v2` ("Amazon Titan Text Embeddings models"). */
const TITAN_TEXT_V2: Family = {
  ...TITAN_TEXT,
  defaultDimensions: 1024,
  body: ({ texts: [inputText], dimensions }) => ({ inputText, dimensions, normalize: true }),
};

/** `amazon.titan-embed-image-v1`, text only ("Amazon Titan Multimodal Embeddings G1"). */
const TITAN_IMAGE: Family = { ...TITAN_TEXT, limits: oneText(256) };

function readTitan(answer: unknown): VendorAnswer {
  const vector = jsonAt(answer, 'embedding');
  const refusal = textAt(answer, 'message') ?? '';
  // The image model reports errors inside a successful answer.
  if (!Array.isArray(vector) && refusal !== '') {
    throw new VendorFault('input', refusal);
  }
  return { vectors: [readVector(vector)], tokens: numberAt(answer, 'inputTextTokenCount') };
}

/**
 * `amazon.nova-2-multimodal-embeddings`, text only ("Complete embeddings request and response
 * schema"). The length is always sent: the service's default is 3,072, ours is 1,024
 * (spec/memory-search §2.3).
 */
const NOVA: Family = {
  limits: oneText(8192, 8192),
  // Only text is stored, so queries need not search images.
  labels: { document: 'GENERIC_INDEX', query: 'TEXT_RETRIEVAL' },
  defaultDimensions: 1024,
  body: ({ texts: [value], label, dimensions }) => ({
    taskType: 'SINGLE_EMBEDDING',
    singleEmbeddingParams: {
      embeddingPurpose: label,
      embeddingDimension: dimensions,
      text: { truncationMode: 'END', value },
    },
  }),
  read: (answer) => ({ vectors: [readVector(jsonAt(answer, 'embeddings', 0, 'embedding'))] }),
};

const COHERE_LABELS = { document: 'search_document', query: 'search_query' } as const;

/**
 * `cohere.embed-english-v3` and `-multilingual-v3` ("Cohere Embed v3"). Texts of more than 2,048
 * characters are refused despite `truncate`, which only concerns tokens.
 */
const COHERE_V3: Family = {
  limits: {
    maxInputs: 96,
    maxTokensPerInput: 512,
    maxTokensPerRequest: 96 * 512,
    maxCharsPerInput: 2048,
  },
  labels: COHERE_LABELS,
  defaultDimensions: undefined,
  body: ({ texts, label }) => ({ texts, input_type: label, truncate: 'END' }),
  read: (answer) => ({ vectors: readCohere(answer) }),
};

/**
 * `cohere.embed-v4` ("Cohere Embed v4"). The service has four lengths, the configuration allows all
 * in between (spec/memory-search §2.3): the next larger one is requested and cut. The model is
 * trained for that; vectors are normalized later.
 */
const COHERE_V4: Family = {
  limits: { maxInputs: 96, maxTokensPerInput: 128_000, maxTokensPerRequest: 128_000 },
  labels: COHERE_LABELS,
  defaultDimensions: 1536,
  body: ({ texts, label, dimensions }) => ({
    texts,
    input_type: label,
    embedding_types: ['float'],
    output_dimension: SERVED_LENGTHS.find((length) => length >= (dimensions ?? 0)),
    truncate: 'RIGHT',
  }),
  read: (answer, call) => ({
    vectors: readCohere(answer).map((vector) => vector.slice(0, call.dimensions)),
  }),
};

const SERVED_LENGTHS = [256, 512, 1024, 1536] as const;

/** Flat, or by type if types were requested; v4 does either. */
const COHERE_PLACES = [['embeddings', 'float'], ['embeddings']] as const;

function readCohere(answer: unknown): Float32Array[] {
  const vectors = firstAt(answer, COHERE_PLACES);
  if (!Array.isArray(vectors)) throw broken('it has no "embeddings"');
  return vectors.map(readVector);
}

/** `twelvelabs.marengo-embed-3-0`, text only ("TwelveLabs Marengo Embed 3.0"). */
const MARENGO_3: Family = {
  limits: oneText(500),
  labels: undefined,
  defaultDimensions: undefined,
  body: ({ texts: [inputText] }) => ({ inputType: 'text', text: { inputText } }),
  read: (answer) => ({ vectors: [readVector(firstAt(answer, MARENGO_PLACES))] }),
};

/**
 * `twelvelabs.marengo-embed-2-7`, text only, with a flat request ("TwelveLabs Marengo Embed 2.7").
 */
const MARENGO_2: Family = {
  ...MARENGO_3,
  limits: oneText(77),
  body: ({ texts: [inputText] }) => ({ inputType: 'text', inputText }),
};

/** Documentation and clients show three places, without saying which accounts see which. */
const MARENGO_PLACES = [['data', 0, 'embedding'], ['data', 'embedding'], ['embedding']] as const;

/**
 * An id that the service accepts: some need a revision, and one is available through profiles only.
 */
function modelIdOf(name: string): string {
  if (name.startsWith('twelvelabs.marengo-embed-2')) return `us.${name}:0`;
  return WITH_REVISION.test(name) ? `${name}:0` : name;
}

const WITH_REVISION =
  /^(?:amazon\.titan-embed-text-v2|amazon\.nova|cohere\.embed-v4|twelvelabs\.)/u;

/** The first match counts; unknown models are treated like the latest one with a similar name. */
const FAMILIES: readonly (readonly [name: RegExp, family: Family])[] = [
  [/^amazon\.titan-embed-text-v2$/u, TITAN_TEXT_V2],
  [/^amazon\.titan-embed-image/u, TITAN_IMAGE],
  [/^amazon\.titan-embed/u, TITAN_TEXT],
  [/^amazon\.nova/u, NOVA],
  [/^cohere\.embed-(?:english|multilingual)/u, COHERE_V3],
  [/^cohere\.embed/u, COHERE_V4],
  [/^twelvelabs\.marengo-embed-2/u, MARENGO_2],
  [/^twelvelabs\.marengo-embed/u, MARENGO_3],
];

/**
 * Identifies a configured model.
 *
 * @param configured a model id, perhaps with a region prefix (`us.`, `global.`) or throughput
 * suffix (`:0:8k`), or an ARN; `ID#MODEL` names the model behind an opaque id
 * @param dimensions as configured
 * @param modelSetting the setting that `configured` comes from
 * @returns `id`: sent to the service; `dimensions`: to request, undefined if the model has only one
 * @throws VendorFault if the family is unknown, or does not support the dimensions
 */
export function findModel(
  provider: Provider,
  configured: string,
  dimensions: number | undefined,
  modelSetting: string,
): {
  readonly id: string;
  readonly family: Family;
  readonly dimensions: number | undefined;
} {
  const [id = ''] = configured.split('#', 1);
  const name = bareName(provider, configured);
  const family = FAMILIES.find(([names]) => names.test(name))?.[1];
  if (family === undefined) {
    if (id.startsWith('arn:')) {
      throw new VendorFault('model', `the ARN does not say which model is behind it: ${id}`, {
        hint: `add the model behind it after a #, as ${id}#cohere.embed-v4:0`,
      });
    }
    const known = Object.keys(provider.dimensions).map(modelIdOf).join(', ');
    throw new VendorFault('model', `unknown Bedrock embedding model ${name}`, {
      hint: `set ${modelSetting} to one of ${known}, or to an ARN`,
    });
  }
  const choice = dimensionsOf(provider, configured);
  if (dimensions !== undefined && choice !== undefined && !allowsDimensions(choice, dimensions)) {
    const message = `${name} does not support vectors of ${dimensions} dimensions`;
    throw new VendorFault('request', message, {
      hint: `set outputDimensionality to ${describeDimensions(choice)}, or remove it`,
    });
  }
  const { defaultDimensions: usual } = family;
  return { id, family, dimensions: usual === undefined ? undefined : (dimensions ?? usual) };
}

/** Removes the region of an inference profile, an extra label before the vendor's. */
export function withoutRegion(id: string): string {
  return id.replace(/^[a-z-]+\.(?=[a-z\d]+\.)/u, '');
}
