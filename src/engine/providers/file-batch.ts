import { parsedJson } from '../support/text.js';
import {
  downloadLines,
  type ExplainStatus,
  type HttpRequest,
  parseAnswer,
  sendOnce,
  sendRequest,
  uploadTimeoutMs,
} from './http/http-client.js';
import { jsonAt, messageIn, numberAt, textAt } from './http/status-fault.js';
import { broken, lineResult } from './read-vectors.js';
import { notTwice, withRetries } from './requests/pacer.js';
import type {
  BatchEntry,
  BatchHandle,
  BatchResult,
  BatchStatus,
  VendorBatch,
  VendorCall,
} from './vendor.js';
import { VendorFault } from './vendor-fault.js';

/** Differences between OpenAI's batch API and compatible ones. */
export interface BatchDialect {
  readonly limits: VendorBatch['limits'];
  /** One line of the input file. */
  readonly line: (entry: BatchEntry) => unknown;
  /** Extra fields of `POST /batches`. */
  readonly job: Readonly<Record<string, unknown>>;
}

/** Metadata field with the label; values have up to 512 characters. */
const LABEL = 'svc_job';

/**
 * OpenAI's batch API, which others copy (platform.openai.com, guide "Batch"; API reference "Files"
 * and "Batches"): upload a file of lines, start a job, download a file of results.
 */
export function createFileBatch(connection: BatchConnection, dialect: BatchDialect): VendorBatch {
  const api = new FilesApi(connection);
  return {
    limits: dialect.limits,
    submit: async (entries, label, call) => {
      const lines = entries.map((entry) => JSON.stringify(dialect.line(entry)));
      const input = await api.upload(inputName(label), call, lines);
      const json = { ...dialect.job, input_file_id: input, metadata: { [LABEL]: label } };
      const once = { ...call, pacing: notTwice(call.pacing) };
      const created = await api.json('POST', '/batches', once, json);
      return { batch: requiredText(created, 'id'), input };
    },
    find: (label, call) => findJob(api, label, call),
    status: async (handle, call) => readStatus(await api.json('GET', pathOf(handle), call)),
    results: (handle, call) => readResults(api, handle, call),
    cancel: async (handle, call) => {
      await api.json('POST', `${pathOf(handle)}/cancel`, call);
    },
    discard: async (handle, call) => {
      const input = handle['input'];
      // The texts first: they must not remain when the job is gone.
      if (input !== undefined) await api.remove(input, call);
      const job = await api.json('GET', pathOf(handle), call);
      for (const file of outputsOf(job)) await api.remove(file, call);
    },
  };
}

function inputName(label: string): string {
  return `${label}.jsonl`;
}

function pathOf(handle: BatchHandle): string {
  return `/batches/${encodeURIComponent(handle['batch'] ?? '')}`;
}

async function findJob(
  api: FilesApi,
  label: string,
  call: VendorCall,
): Promise<BatchHandle | undefined> {
  for await (const job of api.items('/batches', call)) {
    if (jsonAt(job, 'metadata', LABEL) !== label) continue;
    return { batch: requiredText(job, 'id'), input: requiredText(job, 'input_file_id') };
  }
  const uploaded: string[] = [];
  for await (const file of api.items('/files', call)) {
    if (jsonAt(file, 'filename') === inputName(label)) uploaded.push(requiredText(file, 'id'));
  }
  for (const file of uploaded) await api.remove(file, call);
  return undefined;
}

async function* readResults(
  api: FilesApi,
  handle: BatchHandle,
  call: VendorCall,
): AsyncGenerator<BatchResult> {
  const job = await api.json('GET', pathOf(handle), call);
  for (const file of outputsOf(job)) {
    for await (const line of api.lines(`/files/${encodeURIComponent(file)}/content`, call)) {
      const result = readLine(line);
      if (result !== undefined) yield result;
    }
  }
}

/** States of unfinished jobs with results for the finished part. */
const CUT_SHORT = new Set(['cancelled', 'expired']);

/** Unknown states count as running; the run has a time limit. */
function readStatus(job: unknown): BatchStatus {
  const state = requiredText(job, 'status');
  if (state === 'completed') return { state: 'ended' };
  if (CUT_SHORT.has(state)) return { state: 'ended', why: `the vendor reports: ${state}` };
  if (state === 'failed') {
    const reasons = jsonAt(job, 'errors', 'data');
    return {
      state: 'failed',
      why: messageIn(reasons) ?? messageIn(jsonAt(job, 'errors')) ?? 'the vendor gave no reason',
      queueFull:
        Array.isArray(reasons) &&
        reasons.some((reason) => jsonAt(reason, 'code') === 'token_limit_exceeded'),
    };
  }
  const [completed, failed, total] = ['completed', 'failed', 'total'].map(
    (name) => numberAt(job, 'request_counts', name) ?? 0,
  );
  return total === undefined || total === 0
    ? { state: 'running', done: undefined, total: undefined }
    : { state: 'running', done: (completed ?? 0) + (failed ?? 0), total };
}

/** Ids of the job's result files. */
function outputsOf(job: unknown): string[] {
  return ['output_file_id', 'error_file_id']
    .map((name) => textAt(job, name) ?? '')
    .filter((id) => id !== '');
}

/**
 * Reads `{custom_id, response: {status_code, body}, error}` of the output or error file; undefined
 * if unreadable.
 */
function readLine(line: string): BatchResult | undefined {
  const item = parsedJson(line);
  const key = textAt(item, 'custom_id');
  if (key === undefined) return undefined;
  const status = numberAt(item, 'response', 'status_code');
  const embedding = jsonAt(item, 'response', 'body', 'data', 0, 'embedding');
  if (status !== undefined && status < 300 && embedding !== undefined) {
    return lineResult(key, embedding);
  }
  const why = messageIn(jsonAt(item, 'error')) ?? messageIn(jsonAt(item, 'response', 'body'));
  return { key, why: why ?? messageIn(jsonAt(item, 'response')) ?? 'the vendor gave no reason' };
}

/** Address and headers of a files and batches API. */
export interface BatchConnection {
  /** Without trailing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly explain: ExplainStatus;
}

/** Page size of lists; OpenAI's maximum for jobs. */
const PAGE = 100;

class FilesApi {
  private readonly connection: BatchConnection;

  constructor(connection: BatchConnection) {
    this.connection = connection;
  }

  async json(
    method: HttpRequest['method'],
    path: string,
    call: VendorCall,
    json?: unknown,
  ): Promise<unknown> {
    const request = { ...this.request(path, call), method, json };
    return parseAnswer(await sendRequest(request, this.connection.explain));
  }

  /** Returns the id of the uploaded file. */
  async upload(name: string, call: VendorCall, lines: readonly string[]): Promise<string> {
    const file = new Blob([`${lines.join('\n')}\n`], { type: 'application/jsonl' });
    const send = async (): Promise<string> => {
      // A form can be sent once, so each try gets its own.
      const body = new FormData();
      body.set('purpose', 'batch');
      body.set('file', file, name);
      const timeoutMs = uploadTimeoutMs(call, file.size);
      const request = { ...this.request('/files', call), method: 'POST', body, timeoutMs } as const;
      return requiredText(parseAnswer(await sendOnce(request, this.connection.explain)), 'id');
    };
    return withRetries(call.pacing, call.signal, send);
  }

  lines(path: string, call: VendorCall): AsyncIterable<string> {
    return downloadLines(this.request(path, call), this.connection.explain);
  }

  /** Deletes a file; succeeds if it is gone already. */
  async remove(file: string, call: VendorCall): Promise<void> {
    try {
      await this.json('DELETE', `/files/${encodeURIComponent(file)}`, call);
    } catch (error) {
      if (!(error instanceof VendorFault) || error.details.status !== 404) throw error;
    }
  }

  /** All items of a list, newest first. */
  async *items(path: string, call: VendorCall): AsyncGenerator<unknown> {
    for (let last: string | undefined; ; ) {
      const after = last === undefined ? '' : `&after=${encodeURIComponent(last)}`;
      const page = await this.json('GET', `${path}?limit=${PAGE}${after}`, call);
      const data = jsonAt(page, 'data');
      if (!Array.isArray(data)) return;
      yield* data;
      const next = textAt(data.at(-1), 'id');
      // A server that ignores `after` would return its first page forever.
      if (jsonAt(page, 'has_more') !== true || next === undefined || next === last) return;
      last = next;
    }
  }

  private request(path: string, call: VendorCall): Omit<HttpRequest, 'method'> {
    const { endpoint, headers } = this.connection;
    return { ...call, url: `${endpoint}${path}`, headers };
  }
}

/** A required text of an answer. @throws VendorFault */
function requiredText(value: unknown, name: string): string {
  const text = textAt(value, name) ?? '';
  if (text !== '') return text;
  throw broken(`it has no "${name}"`);
}
