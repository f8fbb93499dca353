import type { TextInput } from '../embedding-adapter.js';
import { parseAnswer } from '../http/parse-answer.js';
import { jsonAt } from '../http/status-fault.js';
import { broken } from '../read-vectors.js';
import { UNPACED, withRetries } from '../requests/pacer.js';
import type {
  BatchCall,
  BatchEntry,
  BatchHandle,
  BatchResult,
  BatchStatus,
  VendorBatch,
} from '../vendor.js';
import { isTransient, VendorFault } from '../vendor-fault.js';
import {
  handleOf,
  linesOf,
  nameIn,
  resultOf,
  resultsFile,
  statusOf,
} from './gemini-batch-answers.js';
import type { GeminiConnection } from './gemini-connection.js';
import type { GeminiRequest } from './gemini-content.js';
import { deleteGemini, downloadGeminiFile, uploadGeminiFile } from './gemini-files.js';

/** How the batches of one model are made. */
export interface GeminiBatchOptions {
  /** `…/models/MODEL:asyncBatchEmbedContent`. */
  readonly url: string;
  /** The line of the input file for one document. */
  readonly request: (input: TextInput) => GeminiRequest;
  /** The length asked for; undefined leaves it to the model. */
  readonly dimensions: number | undefined;
}

/** Of both models (ai.google.dev, "Embeddings"). */
const DEFAULT_DIMENSIONS = 3072;
/** Google takes 2 GB and names no number of lines; a job must fit into the memory of this process. */
const MAX_UPLOAD_BYTES = 100 * 1024 * 1024;
const MAX_RESULT_BYTES = 128 * 1024 * 1024;
/** Of one number of a vector, as text. */
const BYTES_PER_NUMBER = 14;

/**
 * Google's Batch API for embeddings: input and results are files of JSON lines, joined by a key.
 * A job that is not done within 48 hours expires and gives nothing.
 */
export function createGeminiBatch(
  connection: GeminiConnection,
  options: GeminiBatchOptions,
): VendorBatch {
  return new GeminiBatch(connection, options);
}

class GeminiBatch implements VendorBatch {
  readonly limits: VendorBatch['limits'];
  private readonly connection: GeminiConnection;
  private readonly options: GeminiBatchOptions;

  constructor(connection: GeminiConnection, options: GeminiBatchOptions) {
    this.connection = connection;
    this.options = options;
    const vectorBytes = (options.dimensions ?? DEFAULT_DIMENSIONS) * BYTES_PER_NUMBER;
    this.limits = {
      maxEntries: Math.floor(MAX_RESULT_BYTES / vectorBytes),
      maxBytes: MAX_UPLOAD_BYTES,
    };
  }

  async submit(
    entries: readonly BatchEntry[],
    label: string,
    call: BatchCall,
  ): Promise<BatchHandle> {
    const lines = entries.map(
      ({ key, input }) => `${JSON.stringify({ key, request: this.options.request(input) })}\n`,
    );
    const file = await uploadGeminiFile(this.connection, Buffer.from(lines.join('')), label, call);
    try {
      return await withRetries(
        call.pacing,
        call.signal,
        () => this.create(file, label, call),
        (error) => (error instanceof VendorFault ? error : undefined),
      );
    } catch (error) {
      // Nothing runs on it, unless that is unclear; Google keeps it for 48 hours otherwise.
      if (!call.signal.aborted && error instanceof VendorFault && !isUnclear(error)) {
        await deleteGemini(this.connection, file, call).catch(() => undefined);
      }
      throw error;
    }
  }

  async find(label: string, call: BatchCall): Promise<BatchHandle | undefined> {
    for (let page = ''; ; ) {
      const query = new URLSearchParams({
        pageSize: '100',
        ...(page === '' ? {} : { pageToken: page }),
      });
      const body = await this.get(`batches?${query.toString()}`, call);
      const operations = jsonAt(body, 'operations');
      for (const operation of Array.isArray(operations) ? operations : []) {
        if (jsonAt(operation, 'metadata', 'displayName') === label) return handleOf(operation);
      }
      const next = jsonAt(body, 'nextPageToken');
      if (typeof next !== 'string' || next === '') return undefined;
      page = next;
    }
  }

  async status(handle: BatchHandle, call: BatchCall): Promise<BatchStatus> {
    const operation = await this.operation(handle, call);
    if (operation === undefined) return { state: 'failed', why: 'the job is gone at the vendor' };
    return statusOf(operation);
  }

  async *results(handle: BatchHandle, call: BatchCall): AsyncGenerator<BatchResult> {
    const file = resultsFile(await this.operation(handle, call));
    if (file === undefined) throw broken('the job has no results');
    const bytes = await downloadGeminiFile(this.connection, file, call);
    for (const line of linesOf(bytes)) yield resultOf(line);
  }

  async cancel(handle: BatchHandle, call: BatchCall): Promise<void> {
    try {
      const url = `${this.connection.endpoint}/${nameIn(handle)}:cancel`;
      await this.connection.send({ ...call, method: 'POST', url, json: {} });
    } catch (error) {
      // It ended meanwhile, or is gone: there is nothing left to cancel.
      const { status, code } = error instanceof VendorFault ? error.details : {};
      if (status !== 404 && code !== 'FAILED_PRECONDITION') throw error;
    }
  }

  async discard(handle: BatchHandle, call: BatchCall): Promise<void> {
    const results = resultsFile(await this.operation(handle, call));
    // The job last: as long as it stands, discarding can be done again.
    for (const name of [handle['file'], results, nameIn(handle)]) {
      if (name !== undefined) await deleteGemini(this.connection, name, call);
    }
  }

  /**
   * Starts the job. When it is unclear whether Google took it, the job is looked for before anybody
   * starts it again: two would be paid for twice.
   */
  private async create(file: string, label: string, call: BatchCall): Promise<BatchHandle> {
    try {
      const answer = await this.connection.send({
        ...call,
        method: 'POST',
        url: this.options.url,
        json: { batch: { displayName: label, inputConfig: { fileName: file } } },
        pacing: UNPACED,
      });
      return handleOf(parseAnswer(answer), file);
    } catch (error) {
      if (!(error instanceof VendorFault) || !isUnclear(error)) throw error;
      const started = await this.find(label, call);
      if (started === undefined) throw error;
      return { ...started, file };
    }
  }

  private async operation(handle: BatchHandle, call: BatchCall): Promise<unknown> {
    try {
      return await this.get(nameIn(handle), call);
    } catch (error) {
      if (error instanceof VendorFault && error.details.status === 404) return undefined;
      throw error;
    }
  }

  private async get(path: string, call: BatchCall): Promise<unknown> {
    const url = `${this.connection.endpoint}/${path}`;
    return parseAnswer(await this.connection.send({ ...call, method: 'GET', url }));
  }
}

/** A request that was refused as too many was not taken; of the other passing faults nobody knows. */
function isUnclear(fault: VendorFault): boolean {
  const { kind } = fault.details;
  return kind === 'answer' || (isTransient(fault) && kind !== 'rate');
}
