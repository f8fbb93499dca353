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
import { jsonAt, listAt, messageIn, numberAt, textAt } from './http/status-fault.js';
import { broken, lineResult } from './read-vectors.js';
import { withRetries } from './requests/pacer.js';
import { startJob } from './requests/start-job.js';
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

/** Address and headers of a files and batches API. */
export interface BatchConnection {
  /** Without trailing slash. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly explain: ExplainStatus;
}

/** Page size of lists; OpenAI's maximum for jobs. */
const PAGE = 100;

/**
 * OpenAI's batch API, which others copy (platform.openai.com, guide "Batch"; API reference "Files"
 * and "Batches"): upload a file of lines, start a job, download a file of results.
 */
export function createFileBatch(
  { endpoint, headers, explain }: BatchConnection,
  dialect: BatchDialect,
): VendorBatch {
  const requestTo = (path: string, call: VendorCall): Omit<HttpRequest, 'method'> => {
    return { ...call, url: `${endpoint}${path}`, headers };
  };
  const send = async (
    method: HttpRequest['method'],
    path: string,
    call: VendorCall,
    json?: unknown,
  ): Promise<unknown> =>
    parseAnswer(await sendRequest({ ...requestTo(path, call), method, json }, explain));
  /** @returns the id of the uploaded file */
  const upload = (name: string, call: VendorCall, lines: readonly string[]): Promise<string> => {
    const file = new Blob([`${lines.join('\n')}\n`], { type: 'application/jsonl' });
    return withRetries(call.pacing, call.signal, async () => {
      // A form can be sent once, so each try gets its own.
      const body = new FormData();
      body.set('purpose', 'batch');
      body.set('file', file, name);
      const timeoutMs = uploadTimeoutMs(call, file.size);
      const request = { ...requestTo('/files', call), method: 'POST', body, timeoutMs } as const;
      return requiredText(parseAnswer(await sendOnce(request, explain)), 'id');
    });
  };
  /** Deletes a file; succeeds if it is gone already. */
  const remove = async (file: string, call: VendorCall): Promise<void> => {
    await send('DELETE', pathOfFile(file), call).catch((error: unknown) => {
      if (!(error instanceof VendorFault) || error.details.status !== 404) throw error;
    });
  };
  /** All items of a list, newest first. */
  async function* items(path: string, call: VendorCall): AsyncGenerator<unknown> {
    for (let last: string | undefined; ; ) {
      const after = last === undefined ? '' : `&after=${encodeURIComponent(last)}`;
      const page = await send('GET', `${path}?limit=${PAGE}${after}`, call);
      const data = listAt(page, 'data');
      yield* data;
      const next = textAt(data.at(-1), 'id');
      // A server that ignores `after` would return its first page forever.
      if (jsonAt(page, 'has_more') !== true || next === undefined || next === last) return;
      last = next;
    }
  }
  return {
    limits: dialect.limits,
    submit: async (entries, label, call) => {
      const lines = entries.map((entry) => JSON.stringify(dialect.line(entry)));
      const input = await upload(inputName(label), call, lines);
      const json = { ...dialect.job, input_file_id: input, metadata: { [LABEL]: label } };
      const start = async (once: VendorCall): Promise<BatchHandle> => {
        const created = await send('POST', '/batches', once, json);
        return { batch: requiredText(created, 'id'), input };
      };
      return startJob(call, start, () => remove(input, call));
    },
    find: async (label, call) => {
      for await (const job of items('/batches', call)) {
        if (jsonAt(job, 'metadata', LABEL) !== label) continue;
        return { batch: requiredText(job, 'id'), input: requiredText(job, 'input_file_id') };
      }
      const uploaded: string[] = [];
      for await (const file of items('/files', call)) {
        if (jsonAt(file, 'filename') === inputName(label)) uploaded.push(requiredText(file, 'id'));
      }
      for (const file of uploaded) await remove(file, call);
      return undefined;
    },
    status: async (handle, call) => readStatus(await send('GET', pathOf(handle), call)),
    results: async function* (handle, call) {
      const job = await send('GET', pathOf(handle), call);
      for (const file of outputsOf(job)) {
        const lines = downloadLines(requestTo(`${pathOfFile(file)}/content`, call), explain);
        for await (const line of lines) {
          const result = readLine(line);
          if (result !== undefined) yield result;
        }
      }
    },
    cancel: async (handle, call) => {
      await send('POST', `${pathOf(handle)}/cancel`, call);
    },
    discard: async (handle, call) => {
      const input = handle['input'];
      // The texts first: they must not remain when the job is gone.
      if (input !== undefined) await remove(input, call);
      const job = await send('GET', pathOf(handle), call);
      for (const file of outputsOf(job)) await remove(file, call);
    },
  };
}

function inputName(label: string): string {
  return `${label}.jsonl`;
}

function pathOf(handle: BatchHandle): string {
  return `/batches/${encodeURIComponent(handle['batch'] ?? '')}`;
}

function pathOfFile(id: string): string {
  return `/files/${encodeURIComponent(id)}`;
}

/** States of unfinished jobs with results for the finished part. */
const CUT_SHORT = new Set(['cancelled', 'expired']);

/** Unknown states count as running; the run has a time limit. */
function readStatus(job: unknown): BatchStatus {
  const state = requiredText(job, 'status');
  if (state === 'completed') return { state: 'ended' };
  if (CUT_SHORT.has(state)) return { state: 'ended', why: `the vendor reports: ${state}` };
  if (state === 'failed') {
    const errors = jsonAt(job, 'errors');
    return {
      state: 'failed',
      why: messageIn(jsonAt(errors, 'data')) ?? messageIn(errors) ?? 'the vendor gave no reason',
      queueFull: listAt(errors, 'data').some(
        (reason) => jsonAt(reason, 'code') === 'token_limit_exceeded',
      ),
    };
  }
  const [completed = 0, failed = 0, total = 0] = ['completed', 'failed', 'total'].map((name) =>
    numberAt(job, 'request_counts', name),
  );
  return total === 0
    ? { state: 'running', done: undefined, total: undefined }
    : { state: 'running', done: completed + failed, total };
}

/** Ids of the job's result files. */
function outputsOf(job: unknown): string[] {
  return ['output_file_id', 'error_file_id'].flatMap((name) => textAt(job, name) || []);
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

/** A required text of an answer. @throws VendorFault */
function requiredText(value: unknown, name: string): string {
  const text = textAt(value, name) ?? '';
  if (text !== '') return text;
  throw broken(`it has no "${name}"`);
}
