import {
  allowsDimensions,
  type DimensionChoice,
  describeDimensions,
  dimensionsOf,
} from '../dimensions.js';
import type { Provider } from '../provider.js';
import { VendorFault } from '../vendor-fault.js';
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
 * @param provider knows the lengths that models support
 * @param modelSetting the setting that `configured` comes from
 * @throws VendorFault if the family is unknown, or does not support the dimensions
 */
export function findModel(
  configured: string,
  dimensions: number | undefined,
  provider?: Provider | undefined,
  modelSetting = 'memorySearch.model',
): BedrockModel {
  const [id = '', behind] = configured.split('#', 2);
  const name = baseName(behind ?? id);
  const family = FAMILIES.find(([names]) => names.test(name))?.[1];
  if (family === undefined) {
    throw unknownFamily(id, name, Object.keys(provider?.dimensions ?? {}), modelSetting);
  }
  const choice = provider && dimensionsOf(provider, configured);
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

function unknownFamily(
  id: string,
  name: string,
  known: readonly string[],
  modelSetting: string,
): VendorFault {
  if (id.startsWith('arn:')) {
    return new VendorFault('model', `the ARN does not say which model is behind it: ${id}`, {
      hint: `add the model behind it after a #, as ${id}#cohere.embed-v4:0`,
    });
  }
  return new VendorFault('model', `unknown Bedrock embedding model ${name}`, {
    hint: `set ${modelSetting} to one of ${known.map(modelIdOf).join(', ')}, or to an ARN`,
  });
}

function wrongDimensions(name: string, dimensions: number, choice: DimensionChoice): VendorFault {
  return new VendorFault(
    'request',
    `${name} does not support vectors of ${dimensions} dimensions`,
    { hint: `set outputDimensionality to ${describeDimensions(choice)}, or remove it` },
  );
}
