import {
  allowsDimensions,
  type DimensionChoice,
  describeDimensions,
  dimensionsOf,
} from '../../../config/index.js';
import { VendorFault } from '../../vendor-fault.js';
import { COHERE_V3, COHERE_V4 } from './families/cohere.js';
import type { Family } from './families/family.js';
import { MARENGO_2, MARENGO_3 } from './families/marengo.js';
import { NOVA } from './families/nova.js';
import { TITAN_IMAGE, TITAN_TEXT, TITAN_TEXT_V2 } from './families/titan.js';

/** A model of Bedrock, with what is known of it. */
export interface BedrockModel {
  /** What the service is asked for: an id, the id of an inference profile, or an ARN. */
  readonly id: string;
  /** The model behind it, as `cohere.embed-v4`: no region, no throughput. */
  readonly name: string;
  readonly family: Family;
  /** Length of the vectors to ask for; undefined where the model has one length only. */
  readonly dimensions: number | undefined;
}

/** The models that the spec names (spec/memory-search §2.3). */
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

/** How a model that is not named above is spoken to: as the latest with a name like it. */
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
 * Finds out what a configured model is.
 *
 * @param configured a model id, also with a region before it (`us.`, `global.`) or a throughput
 *   behind it (`:0:8k`), or an ARN; `ID#MODEL` names the model behind an id that does not say it
 * @param dimensions as configured
 * @throws VendorFault when the family cannot be told, or has no vectors of that length
 */
export function findModel(configured: string, dimensions: number | undefined): BedrockModel {
  const [id = '', behind] = configured.split('#', 2);
  const name = baseName(behind ?? id);
  const family = familyOf(name);
  if (family === undefined) throw unknownFamily(id, name);
  const choice = dimensionsOf('bedrock', name);
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

/** An id without the regions of an inference profile, which are one more label before the vendor's. */
export function withoutRegion(id: string): string {
  return id.replace(/^[a-z-]+\.(?=[a-z\d]+\.)/u, '');
}

/** The id without what does not change the model: `arn:…/`, regions, and throughput suffixes. */
function baseName(id: string): string {
  const bare = withoutRegion(id.slice(id.lastIndexOf('/') + 1));
  for (let name = bare; ; name = name.slice(0, name.lastIndexOf(':'))) {
    if (Object.hasOwn(MODELS, name) || !name.includes(':')) return name;
  }
}

function familyOf(name: string): Family | undefined {
  if (Object.hasOwn(MODELS, name)) return MODELS[name];
  return BY_PREFIX.find(([prefix]) => name.startsWith(prefix))?.[1];
}

function unknownFamily(id: string, name: string): VendorFault {
  if (id.startsWith('arn:')) {
    return new VendorFault({
      kind: 'model',
      message: `the ARN does not say which model is behind it: ${id}`,
      hint: `add the model behind it after a #, as ${id}#cohere.embed-v4:0`,
    });
  }
  return new VendorFault({
    kind: 'model',
    message: `no embedding model of Bedrock is known by the name ${name}`,
    hint: `set memorySearch.model to one of ${Object.keys(MODELS).join(', ')}, or to an ARN`,
  });
}

function wrongDimensions(name: string, dimensions: number, choice: DimensionChoice): VendorFault {
  return new VendorFault({
    kind: 'request',
    message: `${name} gives no vectors of ${dimensions} dimensions`,
    hint: `set outputDimensionality to ${describeDimensions(choice)}, or remove it`,
  });
}
