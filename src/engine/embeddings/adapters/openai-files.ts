import { downloadLines } from '../http/download-lines.js';
import { type ExplainStatus, type HttpRequest, sendRequest } from '../http/http-client.js';
import { multipartFile } from '../http/multipart.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import { readVector } from '../read-vectors.js';
import { notTwice, UNPACED, withRetries } from '../requests/pacer.js';
import type {
  BatchCall,
  BatchEntry,
  BatchHandle,
  BatchResult,
  BatchStatus,
  VendorBatch,
} from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { parseAnswer } from './openai-shape.js';

/** Where a files and batches API is, and how it is spoken to. */
export interface BatchConnection {
  /** Base URL, without a slash at the end. */
  readonly endpoint: string;
  /** With the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly explain: ExplainStatus;
}

/** What OpenAI and those who follow its batch API write differently. */
export interface BatchDialect {
  readonly limits: VendorBatch['limits'];
  /** One line of the input file, as JSON. */
  readonly line: (entry: BatchEntry) => unknown;
  /** What `POST /batches` gets besides the input file and the label. */
  readonly job: Readonly<Record<string, unknown>>;
}

/** Where a job carries its label; `metadata` takes strings of up to 512 characters. */
const LABEL = 'svc_job';
const PAGE = 100;
/** An upload may be slow: this much of it must pass in a millisecond. */
const UPLOAD_BYTES_PER_MS = 50;

/**
 * The batch API that OpenAI made common (platform.openai.com, guide "Batch"; API reference "Files"
 * and "Batches"): a file of lines is uploaded, a job works on it, results are a file of lines too.
 */
export function createFileBatch(connection: BatchConnection, dialect: BatchDialect): VendorBatch {
  const api = new FilesApi(connection);
  const uploadInput = (entries: readonly BatchEntry[], label: string, call: BatchCall) =>
    api.upload(`${label}.jsonl`, call, function* () {
      for (const entry of entries) yield JSON.stringify(dialect.line(entry));
    });
  return {
    limits: dialect.limits,
    submit: async (entries, label, call) => {
      const input = await uploadInput(entries, label, call);
      const json = { ...dialect.job, input_file_id: input, metadata: { [LABEL]: label } };
      const once = { ...call, pacing: notTwice(call.pacing) };
      const created = await api.json('POST', '/batches', once, json);
      return { batch: textAt(created, 'id'), input };
    },
    find: (label, call) => findJob(api, label, call),
    status: async (handle, call) => readStatus(await api.json('GET', pathOf(handle), call)),
    results: (handle, call) => readResults(api, handle, call),
    cancel: async (handle, call) => {
      await api.json('POST', `${pathOf(handle)}/cancel`, call);
    },
    discard: async (handle, call) => {
      const job = await api.json('GET', pathOf(handle), call);
      const files = [handle['input'], ...outputsOf(job)];
      for (const file of files) if (file !== undefined) await api.remove(file, call);
    },
  };
}

/** Requests to one connection. */
class FilesApi {
  private readonly connection: BatchConnection;

  constructor(connection: BatchConnection) {
    this.connection = connection;
  }

  async json(
    method: HttpRequest['method'],
    path: string,
    call: BatchCall,
    json?: unknown,
  ): Promise<unknown> {
    const request = {
      ...this.request(path, call),
      method,
      ...(json === undefined ? {} : { json }),
    };
    return parseAnswer(await sendRequest(request, this.connection.explain));
  }

  /** The id of the uploaded file. */
  async upload(name: string, call: BatchCall, lines: () => Iterable<string>): Promise<string> {
    const form = multipartFile({ purpose: 'batch' }, { name, type: 'application/jsonl', lines });
    const request = this.request('/files', call);
    const send = async (): Promise<string> => {
      const answer = await sendRequest(
        {
          ...request,
          method: 'POST',
          headers: {
            ...request.headers,
            'content-type': form.contentType,
            'content-length': `${form.bytes}`,
          },
          body: form.pieces(),
          timeoutMs: call.timeoutMs + form.bytes / UPLOAD_BYTES_PER_MS,
          pacing: UNPACED,
        },
        this.connection.explain,
      );
      return textAt(parseAnswer(answer), 'id');
    };
    const asFault = (error: unknown) => (error instanceof VendorFault ? error : undefined);
    return withRetries(call.pacing, call.signal, send, asFault);
  }

  lines(path: string, call: BatchCall): AsyncIterable<string> {
    return downloadLines(this.request(path, call), this.connection.explain);
  }

  /** Deletes a file; one that is gone is no fault. */
  async remove(file: string, call: BatchCall): Promise<void> {
    try {
      await this.json('DELETE', `/files/${encodeURIComponent(file)}`, call);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** All items of a list, newest first, page by page. */
  async *items(path: string, call: BatchCall): AsyncGenerator<unknown> {
    for (let after = ''; ; ) {
      const page = await this.json('GET', `${path}?limit=${PAGE}${after}`, call);
      const data = jsonAt(page, 'data');
      if (!Array.isArray(data)) return;
      yield* data;
      const last = jsonAt(data.at(-1), 'id');
      if (jsonAt(page, 'has_more') !== true || typeof last !== 'string') return;
      after = `&after=${encodeURIComponent(last)}`;
    }
  }

  private request(path: string, call: BatchCall): Omit<HttpRequest, 'method'> {
    const { endpoint, headers } = this.connection;
    return { ...call, url: `${endpoint}${path}`, headers };
  }
}

function pathOf(handle: BatchHandle): string {
  return `/batches/${encodeURIComponent(handle['batch'] ?? '')}`;
}

async function findJob(
  api: FilesApi,
  label: string,
  call: BatchCall,
): Promise<BatchHandle | undefined> {
  for await (const job of api.items('/batches', call)) {
    if (jsonAt(job, 'metadata', LABEL) !== label) continue;
    return { batch: textAt(job, 'id'), input: textAt(job, 'input_file_id') };
  }
  for await (const file of api.items('/files', call)) {
    if (jsonAt(file, 'filename') === `${label}.jsonl`) await api.remove(textAt(file, 'id'), call);
  }
  return undefined;
}

/** What a job ended with other than its end; its finished part is there. */
const CUT_SHORT = new Set(['cancelled', 'expired']);

/** An unknown state counts as running: the time limit of the run ends it. */
function readStatus(job: unknown): BatchStatus {
  const state = textAt(job, 'status');
  if (state === 'completed') return { state: 'ended' };
  if (CUT_SHORT.has(state)) return { state: 'ended', why: `the vendor says: ${state}` };
  if (state === 'failed') {
    const reasons = jsonAt(job, 'errors', 'data');
    return {
      state: 'failed',
      why: messageIn(reasons) ?? messageIn(jsonAt(job, 'errors')) ?? 'the vendor gives no reason',
      queueFull:
        Array.isArray(reasons) &&
        reasons.some((reason) => jsonAt(reason, 'code') === 'token_limit_exceeded'),
    };
  }
  const [completed, failed, total] = ['completed', 'failed', 'total'].map((name) => {
    const count = jsonAt(job, 'request_counts', name);
    return typeof count === 'number' ? count : 0;
  });
  return total === undefined || total === 0
    ? { state: 'running', done: undefined, total: undefined }
    : { state: 'running', done: (completed ?? 0) + (failed ?? 0), total };
}

function outputsOf(job: unknown): string[] {
  return ['output_file_id', 'error_file_id']
    .map((name) => jsonAt(job, name))
    .filter((id) => typeof id === 'string' && id !== '')
    .map(String);
}

async function* readResults(
  api: FilesApi,
  handle: BatchHandle,
  call: BatchCall,
): AsyncGenerator<BatchResult> {
  const job = await api.json('GET', pathOf(handle), call);
  for (const file of outputsOf(job)) {
    for await (const line of api.lines(`/files/${encodeURIComponent(file)}/content`, call)) {
      const result = readLine(line);
      if (result !== undefined) yield result;
    }
  }
}

/**
 * `{custom_id, response: {status_code, body}, error}`, of the output file and of the error file;
 * undefined for what cannot be read.
 */
function readLine(line: string): BatchResult | undefined {
  const item = parsed(line);
  const key = jsonAt(item, 'custom_id');
  if (typeof key !== 'string') return undefined;
  const status = jsonAt(item, 'response', 'status_code');
  const embedding = jsonAt(item, 'response', 'body', 'data', 0, 'embedding');
  if (typeof status === 'number' && status < 300 && embedding !== undefined) {
    try {
      return { key, vector: readVector(embedding) };
    } catch (error) {
      if (error instanceof VendorFault) return { key, why: error.message };
      throw error;
    }
  }
  const why = messageIn(jsonAt(item, 'error')) ?? messageIn(jsonAt(item, 'response', 'body'));
  return { key, why: why ?? messageIn(jsonAt(item, 'response')) ?? 'the vendor gives no reason' };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function textAt(value: unknown, name: string): string {
  const text = jsonAt(value, name);
  if (typeof text === 'string' && text !== '') return text;
  throw new VendorFault({ kind: 'answer', message: `the answer is broken: it has no "${name}"` });
}

function isGone(error: unknown): boolean {
  return error instanceof VendorFault && error.details.status === 404;
}
