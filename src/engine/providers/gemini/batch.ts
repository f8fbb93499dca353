import { parsedJson } from '../../support/text.js';
import { parseAnswer, uploadTimeoutMs } from '../http/http-client.js';
import { jsonAt, listAt, textAt } from '../http/status-fault.js';
import { broken, lineResult } from '../read-vectors.js';
import { startJob } from '../requests/start-job.js';
import type {
  BatchHandle,
  BatchResult,
  BatchStatus,
  TextInput,
  VendorBatch,
  VendorCall,
} from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import type { GeminiConnection, GeminiRequest } from './connection.js';

interface GeminiBatchOptions {
  /** `…/models/MODEL:asyncBatchEmbedContent`. */
  readonly url: string;
  /** The input line of one document. */
  readonly request: (input: TextInput) => GeminiRequest;
  readonly dimensions: number | undefined;
}

/** Of both models (ai.google.dev, "Embeddings"). */
const DEFAULT_DIMENSIONS = 3072;
/** Google allows 2 GB and any number of lines, but a job has to fit into memory. */
const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;
const MAX_RESULT_BYTES = 128 * 1024 * 1024;
/** A vector component as text. */
const BYTES_PER_NUMBER = 14;

/**
 * Google's Batch API for embeddings: input and results are files of JSON lines, joined by key. Jobs
 * expire without results after 48 hours. Files are named `files/ID`, and expire after the same time
 * (ai.google.dev, "Batch API" and "Files API"; package @google/genai).
 */
export function createGeminiBatch(
  { endpoint, fileUrl, lines, send }: GeminiConnection,
  { url, request, dimensions = DEFAULT_DIMENSIONS }: GeminiBatchOptions,
): VendorBatch {
  const get = async (path: string, call: VendorCall): Promise<unknown> =>
    parseAnswer(await send({ ...call, method: 'GET', url: `${endpoint}/${path}` }));
  /** Deletes a file or batch; succeeds if it is gone already. */
  const remove = async (name: string, call: VendorCall): Promise<void> => {
    await send({ ...call, method: 'DELETE', url: `${endpoint}/${name}` }).catch(unlessGone);
  };
  /** All items of a list. @param field where its answers have them */
  async function* items(path: string, field: string, call: VendorCall): AsyncGenerator<unknown> {
    for (let page: string | undefined = ''; page !== undefined; ) {
      const query = new URLSearchParams({
        pageSize: '100',
        ...(page === '' ? {} : { pageToken: page }),
      });
      const body = await get(`${path}?${query.toString()}`, call);
      yield* listAt(body, field);
      page = textAt(body, 'nextPageToken') || undefined;
    }
  }
  /** With the resumable protocol: one request returns the address, a second one sends the bytes. */
  const upload = async (bytes: Buffer, label: string, call: VendorCall): Promise<string> => {
    const opened = await send({
      ...call,
      method: 'POST',
      url: fileUrl('upload', 'files'),
      headers: {
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-command': 'start',
        'x-goog-upload-header-content-length': String(bytes.length),
        'x-goog-upload-header-content-type': 'application/jsonl',
      },
      json: { file: { displayName: label } },
    });
    const address = opened.headers['x-goog-upload-url'];
    if (typeof address !== 'string' || !URL.canParse(address)) {
      throw broken('it has no upload address');
    }
    const uploaded = await send({
      ...call,
      method: 'POST',
      url: address,
      headers: { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' },
      body: bytes,
      timeoutMs: uploadTimeoutMs(call, bytes.length),
    });
    const name = textAt(parseAnswer(uploaded), 'file', 'name');
    if (name === undefined) throw broken('it has no file name');
    return name;
  };
  return {
    limits: {
      maxEntries: Math.floor(MAX_RESULT_BYTES / (dimensions * BYTES_PER_NUMBER)),
      maxBytes: MAX_UPLOAD_BYTES,
    },
    submit: async (entries, label, call) => {
      const written = entries.map(
        ({ key, input }) => `${JSON.stringify({ key, request: request(input) })}\n`,
      );
      const file = await upload(Buffer.from(written.join('')), label, call);
      const json = { batch: { displayName: label, inputConfig: { fileName: file } } };
      const start = async (once: VendorCall): Promise<BatchHandle> =>
        handleOf(parseAnswer(await send({ ...once, method: 'POST', url, json })), file);
      return startJob(call, start, () => remove(file, call));
    },
    find: async (label, call) => {
      for await (const operation of items('batches', 'operations', call)) {
        if (jsonAt(operation, 'metadata', 'displayName') === label) return handleOf(operation);
      }
      const uploaded: string[] = [];
      for await (const file of items('files', 'files', call)) {
        const name = textAt(file, 'name');
        if (name !== undefined && jsonAt(file, 'displayName') === label) uploaded.push(name);
      }
      for (const name of uploaded) await remove(name, call);
      return undefined;
    },
    status: async (handle, call) => statusOf(await get(nameIn(handle), call)),
    results: async function* (handle, call) {
      const file = resultsFile(await get(nameIn(handle), call));
      if (file === undefined) throw broken('the job has no results');
      const results = lines({ ...call, url: fileUrl('download', `${file}:download?alt=media`) });
      try {
        for await (const line of results) {
          const result = resultOf(line);
          if (result !== undefined) yield result;
        }
      } catch (error) {
        // The key has just read the job, so it is the file that is gone.
        throw isGone(error) ? error.with({ status: 404 }) : error;
      }
    },
    cancel: async (handle, call) => {
      const cancelUrl = `${endpoint}/${nameIn(handle)}:cancel`;
      await send({ ...call, method: 'POST', url: cancelUrl, json: {} });
    },
    discard: async (handle, call) => {
      const operation = await get(nameIn(handle), call).catch(unlessGone);
      // The job last, so that an interrupted discard can be repeated.
      for (const name of [handle['file'], resultsFile(operation), nameIn(handle)]) {
        if (name !== undefined) await remove(name, call);
      }
    },
  };
}

/* Answers are long-running operations `{name, done?, metadata, response?, error?}`, and files of JSON lines. */

/**
 * The handle `{batch: 'batches/ID', file: 'files/ID'}` of an operation.
 *
 * @param uploaded the input file, if known
 * @throws VendorFault
 */
function handleOf(operation: unknown, uploaded?: string): BatchHandle {
  const batch = textAt(operation, 'name');
  if (batch === undefined) throw broken('it has no batch name');
  const file = uploaded ?? textAt(operation, 'metadata', 'inputConfig', 'fileName');
  return file === undefined ? { batch } : { batch, file };
}

/** A job's name, `batches/ID`. @throws VendorFault */
function nameIn(handle: BatchHandle): string {
  const name = handle['batch'];
  if (name === undefined) throw broken('the stored job has no name');
  return name;
}

/**
 * States are `BATCH_STATE_…` in the API and `JOB_STATE_…` in the guide. An operation with results
 * has ended, whatever its state.
 */
function statusOf(operation: unknown): BatchStatus {
  const reportedState = textAt(operation, 'metadata', 'state') ?? '';
  const state = reportedState.replace(/^(?:BATCH|JOB)_STATE_/u, '');
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
  const message = textAt(operation, 'error', 'message');
  const why =
    state === '' || state === 'SUCCEEDED'
      ? 'it ended without results'
      : state.toLowerCase().replaceAll('_', ' ');
  return { state: 'failed', why: message === undefined ? why : `${why}: ${message}` };
}

const ENDED = new Set(['SUCCEEDED', 'PARTIALLY_SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED']);

/** 64-bit numbers are text in Google's JSON: `successfulRequestCount: "12"`. */
function countAt(stats: unknown, which: 'failed' | 'successful' | ''): number | undefined {
  const value = jsonAt(stats, which === '' ? 'requestCount' : `${which}RequestCount`);
  const digits = typeof value === 'number' ? String(value) : value;
  return typeof digits === 'string' && /^\d+$/u.test(digits) ? Number(digits) : undefined;
}

/** The results file, from the response of a finished operation or from its metadata. */
function resultsFile(operation: unknown): string | undefined {
  const file =
    jsonAt(operation, 'response', 'responsesFile') ??
    jsonAt(operation, 'metadata', 'output', 'responsesFile');
  return typeof file === 'string' && file !== '' ? file : undefined;
}

/**
 * Reads `{key, response: {embedding: {values}}}` or `{key, error: {code, message}}`; undefined if there is no key.
 *
 * @throws VendorFault if the line is cut off
 */
function resultOf(text: string): BatchResult | undefined {
  const line = parsedJson(text);
  if (line === undefined) throw broken('a line of the results is not JSON');
  const key = textAt(line, 'key');
  if (key === undefined) return undefined;
  const values = jsonAt(line, 'response', 'embedding', 'values');
  if (values !== undefined) return lineResult(key, values);
  return { key, why: textAt(line, 'error', 'message') ?? 'no vector and no reason' };
}

/** @throws the error, unless the file or job is missing */
function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error;
}

/** Whether a file or job is missing: for that, Google answers 403 like for one without access. */
function isGone(error: unknown): error is VendorFault {
  if (!(error instanceof VendorFault)) return false;
  const { status, code } = error.details;
  return status === 404 || code === 'PERMISSION_DENIED';
}
