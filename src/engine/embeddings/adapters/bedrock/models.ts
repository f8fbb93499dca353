import { VendorFault } from '../../vendor-fault.js';
import { allowsDimensions, type DimensionChoice, describeDimensions } from '../dimensions.js';
import {
  COHERE_V3,
  COHERE_V4,
  type Family,
  MARENGO_2,
  MARENGO_3,
  NOVA,
  TITAN_IMAGE,
  TITAN_TEXT,
  TITAN_TEXT_V2,
} from './families.js';

interface BedrockModel {
  /** Sent to the service: a model id, inference profile id or ARN. */
  readonly id: string;
  /** The model behind it, as `cohere.embed-v4`: without region and throughput. */
  readonly name: string;
  readonly family: Family;
  /** Requested length; undefined if the model has only one. */
  readonly dimensions: number | undefined;
}

/** The spec's models (spec/memory-search §2.3). */
const MODELS: Readonly<Record<string, Family>> = {
  'amazon.titan-embed-text-v2': TITAN_TEXT_V2,
  'amazon.titan-embed-text-v1': TITAN_TEXT,
  'amazon.titan-embed-g1-text-02': TITAN_TEXT,
  'amazon.titan-embed-image-v1': TITAN_IMAGE,
  'amazon.nova-2-multimodal-embeddings-v1': NOVA,
  'cohere.embed-english-v3': COHERE_V3,
  'cohere.embed-multilingual-v3': COHERE_V3,
  'cohere.embed-v4': COHERE_V4,
  'twelvelabs.marengo-embed-3-0-v1': MARENGO_3,
  'twelvelabs.marengo-embed-2-7-v1': MARENGO_2,
};

/**
 * An id that the service accepts: some need a revision, and one is available through profiles only.
 */
function modelIdOf(name: string): string {
  if (name.startsWith('twelvelabs.marengo-embed-2')) return `us.${name}:0`;
  return WITH_REVISION.test(name) ? `${name}:0` : name;
}

const WITH_REVISION =
  /^(?:amazon\.titan-embed-text-v2|amazon\.nova|cohere\.embed-v4|twelvelabs\.)/u;

/** Other models are treated like the latest one with a similar name. */
const BY_PREFIX: readonly (readonly [prefix: string, family: Family])[] = [
  ['amazon.titan-embed-image', TITAN_IMAGE],
  ['amazon.titan-embed', TITAN_TEXT],
  ['amazon.nova', NOVA],
  ['cohere.embed-english', COHERE_V3],
  ['cohere.embed-multilingual', COHERE_V3],
  ['cohere.embed', COHERE_V4],
  ['twelvelabs.marengo-embed-2', MARENGO_2],
  ['twelvelabs.marengo-embed', MARENGO_3],
];

/**
 * Identifies a configured model.
 *
 * @param configured a model id, perhaps with a region prefix (`us.`, `global.`) or throughput
 * suffix (`:0:8k`), or an ARN; `ID#MODEL` names the model behind an opaque id
 * @param dimensions as configured
 * @param choice their allowed values
 * @throws VendorFault if the family is unknown, or does not support the dimensions
 */
export function findModel(
  configured: string,
  dimensions: number | undefined,
  choice?: DimensionChoice | undefined,
): BedrockModel {
  const [id = '', behind] = configured.split('#', 2);
  const name = baseName(behind ?? id);
  const family = familyOf(name);
  if (family === undefined) throw unknownFamily(id, name);
  if (dimensions !== undefined && choice !== undefined && !allowsDimensions(choice, dimensions)) {
    throw wrongDimensions(name, dimensions, choice);
  }
  const settable = family.defaultDimensions !== undefined;
  return {
    id,
    name,
    family,
    dimensions: settable ? (dimensions ?? family.defaultDimensions) : undefined,
  };
}

/** Removes the region of an inference profile, an extra label before the vendor's. */
export function withoutRegion(id: string): string {
  return id.replace(/^[a-z-]+\.(?=[a-z\d]+\.)/u, '');
}

/** Removes what does not change the model: `arn:…/`, regions and throughput suffixes. */
function baseName(id: string): string {
  return withoutRegion(id.slice(id.lastIndexOf('/') + 1)).replace(/:.*/su, '');
}

function familyOf(name: string): Family | undefined {
  if (Object.hasOwn(MODELS, name)) return MODELS[name];
  return BY_PREFIX.find(([prefix]) => name.startsWith(prefix))?.[1];
}

function unknownFamily(id: string, name: string): VendorFault {
  if (id.startsWith('arn:')) {
    return new VendorFault('model', `the ARN does not say which model is behind it: ${id}`, {
      hint: `add the model behind it after a #, as ${id}#cohere.embed-v4:0`,
    });
  }
  return new VendorFault('model', `unknown Bedrock embedding model ${name}`, {
    hint: `set memorySearch.model to one of ${Object.keys(MODELS).map(modelIdOf).join(', ')}, or to an ARN`,
  });
}

function wrongDimensions(name: string, dimensions: number, choice: DimensionChoice): VendorFault {
  return new VendorFault(
    'request',
    `${name} does not support vectors of ${dimensions} dimensions`,
    { hint: `set outputDimensionality to ${describeDimensions(choice)}, or remove it` },
  );
}
