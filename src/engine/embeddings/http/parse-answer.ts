import { VendorFault } from '../vendor-fault.js';
import type { HttpAnswer } from './http-client.js';

/** The JSON of an answer. @throws VendorFault for a cut-off one, which may pass when sent again */
export function parseAnswer(answer: HttpAnswer): unknown {
  try {
    return JSON.parse(answer.body.toString('utf8'));
  } catch (error) {
    throw new VendorFault(
      { kind: 'answer', status: answer.status, message: 'the answer is broken: it is not JSON' },
      { cause: error },
    );
  }
}
