import { jsonAt } from '../http/status-fault.js';
import { broken, readVector } from '../read-vectors.js';
import type { BatchHandle, BatchResult, BatchStatus } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';

/*
 * What Google's Batch API answers: long-running operations `{name, done?, metadata, response?,
 * error?}` and files of JSON lines (ai.google.dev, "Batch API"; package @google/genai).
 */

/**
 * The handle `{batch: 'batches/ID', file: 'files/ID'}` of an operation.
 *
 * @param uploaded the input file, where it is known already
 * @throws VendorFault
 */
export function handleOf(operation: unknown, uploaded?: string): BatchHandle {
  const batch = jsonAt(operation, 'name');
  if (typeof batch !== 'string') throw broken('it names no batch');
  const file = uploaded ?? jsonAt(operation, 'metadata', 'inputConfig', 'fileName');
  return typeof file === 'string' ? { batch, file } : { batch };
}

/** The name of a job, `batches/ID`. @throws VendorFault */
export function nameIn(handle: BatchHandle): string {
  const name = handle['batch'];
  if (name === undefined) throw broken('a stored job has no name');
  return name;
}

/**
 * How far an operation is. Its state is spelt `BATCH_STATE_…` by the API and `JOB_STATE_…` by the
 * guide; with results it has ended, whatever it says.
 */
export function statusOf(operation: unknown): BatchStatus {
  const named = jsonAt(operation, 'metadata', 'state');
  const state = typeof named === 'string' ? named.replace(/^(?:BATCH|JOB)_STATE_/u, '') : '';
  const ended = ENDED.has(state) || jsonAt(operation, 'done') === true;
  if (!ended) {
    const stats = jsonAt(operation, 'metadata', 'batchStats');
    const [succeeded, failed] = [countAt(stats, 'successful'), countAt(stats, 'failed')];
    const known = succeeded !== undefined || failed !== undefined;
    return {
      state: 'running',
      done: known ? (succeeded ?? 0) + (failed ?? 0) : undefined,
      total: countAt(stats, ''),
    };
  }
  if (resultsFile(operation) !== undefined) return { state: 'ended' };
  const message = jsonAt(operation, 'error', 'message');
  const why =
    state === '' || state === 'SUCCEEDED'
      ? 'ended without results'
      : state.toLowerCase().replaceAll('_', ' ');
  return { state: 'failed', why: typeof message === 'string' ? `${why}: ${message}` : why };
}

const ENDED = new Set(['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED']);

/** A 64-bit number, which Google's JSON has as text: `successfulRequestCount: "12"`. */
function countAt(stats: unknown, which: 'failed' | 'successful' | ''): number | undefined {
  const value = jsonAt(stats, which === '' ? 'requestCount' : `${which}RequestCount`);
  return value === undefined || !/^\d+$/u.test(String(value)) ? undefined : Number(value);
}

/** Where the results are: in the response of an operation that is done, or already in its metadata. */
export function resultsFile(operation: unknown): string | undefined {
  const file =
    jsonAt(operation, 'response', 'responsesFile') ??
    jsonAt(operation, 'metadata', 'output', 'responsesFile');
  return typeof file === 'string' && file !== '' ? file : undefined;
}

/** The lines of a file, one at a time: as one text it might be too long for JavaScript. */
export function* linesOf(bytes: Buffer): Generator<string> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf('\n', from);
    const to = end < 0 ? bytes.length : end;
    const line = bytes.toString('utf8', from, to).trim();
    if (line !== '') yield line;
    from = to + 1;
  }
}

/** `{key, response: {embedding: {values}}}` or `{key, error: {code, message}}`. @throws VendorFault */
export function resultOf(text: string): BatchResult {
  const line = parsed(text);
  const key = jsonAt(line, 'key');
  if (typeof key !== 'string') throw broken('a line of the results has no key');
  const values = jsonAt(line, 'response', 'embedding', 'values');
  if (values !== undefined) return { key, vector: readVector(values) };
  const message = jsonAt(line, 'error', 'message');
  return { key, why: typeof message === 'string' ? message : 'no vector and no reason' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new VendorFault(
      { kind: 'answer', message: 'the answer is broken: a line of the results is not JSON' },
      { cause: error },
    );
  }
}
