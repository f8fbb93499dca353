import { readVector } from '../../../read-vectors.js';
import type { VendorAnswer } from '../../../vendor.js';
import { type Family, firstAt, oneText } from './family.js';

/** `twelvelabs.marengo-embed-3-0`, texts only ("TwelveLabs Marengo Embed 3.0"). */
export const MARENGO_3: Family = {
  limits: oneText(500),
  labels: undefined,
  defaultDimensions: undefined,
  body: ({ texts: [inputText] }) => ({ inputType: 'text', text: { inputText } }),
  read: readMarengo,
};

/** `twelvelabs.marengo-embed-2-7`, texts only; its request is flat ("TwelveLabs Marengo Embed 2.7"). */
export const MARENGO_2: Family = {
  ...MARENGO_3,
  limits: oneText(77),
  body: ({ texts: [inputText] }) => ({ inputType: 'text', inputText }),
};

/** Pages and clients show the vector in three places; which one an account sees is not said. */
const PLACES = [['data', 0, 'embedding'], ['data', 'embedding'], ['embedding']] as const;

function readMarengo(answer: unknown): VendorAnswer {
  return { vectors: [readVector(firstAt(answer, PLACES))] };
}
