import { allowsDimensions, bareName, describeDimensions, dimensionsOf } from '../dimensions.js';
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
