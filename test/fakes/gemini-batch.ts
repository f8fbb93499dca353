import * as z from 'zod/mini';
import type { FakeAnswer, RecordedRequest } from './fake-vendor.js';

/** Settings of the fake's batches. */
export interface GeminiBatchFakeOptions {
  /** The prefix of states: the API reference has the first, the guide the second. */
  readonly states?: 'BATCH_STATE_' | 'JOB_STATE_';
  /** Which field of a finished job names the results file. */
  readonly resultsIn?: 'metadata' | 'response';
  /** Where uploads are sent; the fake itself by default. */
  readonly uploadOrigin?: string;
  /** Jobs on one page of the list. */
  readonly pageSize?: number;
}

type State = 'CANCELLED' | 'EXPIRED' | 'FAILED' | 'PENDING' | 'RUNNING' | 'SUCCEEDED';

/** A job as the fake keeps it. */
export interface GeminiJob {
  readonly name: string;
  readonly label: string;
  readonly model: string;
  readonly inputFile: string;
  state: State;
  message: string | undefined;
  resultsFile: string | undefined;
}

/** Embeds the request of one line: its vector, or the error for it. */
type EmbedLine = (model: string, request: unknown) => FakeAnswer | Float32Array;

const createSchema = z.strictObject({
  batch: z.strictObject({
    displayName: z.string(),
    inputConfig: z.strictObject({ fileName: z.string() }),
  }),
});
const lineSchema = z.strictObject({ key: z.string(), request: z.looseObject({}) });
const startSchema = z.strictObject({ file: z.strictObject({ displayName: z.string() }) });

/**
 * Google's Files API and Batch API for embeddings (ai.google.dev, "Files API", "Batch API"). Jobs
 * do not change until a test advances them.
 */
export class GeminiBatchFake {
  readonly jobs: GeminiJob[] = [];
  /** Contents by name. */
  readonly files = new Map<string, Buffer>();
  private readonly uploads = new Map<string, { readonly length: number; readonly label: string }>();
  private readonly labels = new Map<string, string>();
  private readonly options: GeminiBatchFakeOptions;
  private readonly embedLine: EmbedLine;
  private count = 0;

  constructor(options: GeminiBatchFakeOptions, embedLine: EmbedLine) {
    this.options = options;
    this.embedLine = embedLine;
  }

  /** Starts all pending jobs. */
  run(): void {
    for (const job of this.open()) job.state = 'RUNNING';
  }

  /** Completes all open jobs; the lines with these keys fail. */
  finish(failing: readonly string[] = []): void {
    for (const job of this.open()) {
      const lines = this.linesOf(job).map(({ key, request }) => {
        if (failing.includes(key)) return { key, error: { code: 13, message: 'internal' } };
        const vector = this.embedLine(job.model, request);
        if (!(vector instanceof Float32Array)) {
          return { key, error: { code: 3, message: 'refused' } };
        }
        return { key, response: { tokenCount: 3, embedding: { values: [...vector] } } };
      });
      // Out of order on purpose: the key says where each belongs.
      const text = lines.reverse().map((line) => `${JSON.stringify(line)}\n`);
      job.resultsFile = this.keep('batch-', Buffer.from(text.join('')));
      job.state = 'SUCCEEDED';
    }
  }

  /** Ends all open jobs without results. */
  end(state: 'CANCELLED' | 'EXPIRED' | 'FAILED', message?: string): void {
    for (const job of this.open()) {
      job.state = state;
      job.message = message;
    }
  }

  /** Answers whatever is not inline embedding. */
  answer(request: RecordedRequest): FakeAnswer {
    const { method } = request;
    const url = new URL(request.path, 'http://fake');
    const path = url.pathname;
    if (method === 'POST' && path === '/upload/v1beta/files') return this.upload(request, url);
    const model = /^\/v1beta\/models\/([^/:]+):asyncBatchEmbedContent$/.exec(path)?.[1];
    if (method === 'POST' && model !== undefined) return this.create(request, model);
    if (method === 'GET' && path === '/v1beta/batches') return this.list(url);
    if (method === 'GET' && path === '/v1beta/files') return this.listFiles(url);
    const file = /^(?:\/download)?\/v1beta\/(files\/[^/:]+)(:download)?$/.exec(path);
    if (file !== null) return this.file(method, file[1] ?? '', file[2] !== undefined, url);
    const batch = /^\/v1beta\/(batches\/[^/:]+)(:cancel)?$/.exec(path);
    if (batch !== null) return this.job(`${method}${batch[2] ?? ''}`, batch[1] ?? '');
    return NOT_FOUND;
  }

  private upload(request: RecordedRequest, url: URL): FakeAnswer {
    const { headers } = request;
    const command = headers['x-goog-upload-command'];
    if (command === 'start') {
      const body = startSchema.safeParse(JSON.parse(request.body.toString('utf8')));
      const length = Number(headers['x-goog-upload-header-content-length']);
      const type = headers['x-goog-upload-header-content-type'];
      if (headers['x-goog-upload-protocol'] !== 'resumable' || !body.success) {
        return failure(400, 'INVALID_ARGUMENT', 'Not a resumable upload.');
      }
      if (!Number.isInteger(length) || type === undefined) {
        return failure(400, 'INVALID_ARGUMENT', 'Length and type are missing.');
      }
      const id = String(++this.count);
      this.uploads.set(id, { length, label: body.data.file.displayName });
      const origin = this.options.uploadOrigin ?? `http://${headers.host}`;
      const address = `${origin}${url.pathname}?upload_id=${id}&upload_protocol=resumable`;
      return { status: 200, headers: { 'x-goog-upload-url': address }, body: '' };
    }
    const announced = this.uploads.get(url.searchParams.get('upload_id') ?? '');
    const whole = command === 'upload, finalize' && headers['x-goog-upload-offset'] === '0';
    if (!whole || announced?.length !== request.body.length) {
      return failure(400, 'INVALID_ARGUMENT', 'The upload is not what was announced.');
    }
    const name = this.keep('', request.body);
    this.labels.set(name, announced.label);
    return { status: 200, body: { file: { name, state: 'ACTIVE' } } };
  }

  private create(request: RecordedRequest, model: string): FakeAnswer {
    const parsed = createSchema.safeParse(JSON.parse(request.body.toString('utf8')));
    if (!parsed.success) return failure(400, 'INVALID_ARGUMENT', z.prettifyError(parsed.error));
    const { displayName, inputConfig } = parsed.data.batch;
    if (!this.files.has(inputConfig.fileName)) return NO_FILE;
    const job: GeminiJob = {
      name: `batches/${++this.count}`,
      label: displayName,
      model,
      inputFile: inputConfig.fileName,
      state: 'PENDING',
      message: undefined,
      resultsFile: undefined,
    };
    this.linesOf(job);
    this.jobs.unshift(job);
    return { status: 200, body: this.operation(job) };
  }

  private list(url: URL): FakeAnswer {
    return this.page(url, 'operations', this.jobs, (job) => this.operation(job));
  }

  private listFiles(url: URL): FakeAnswer {
    return this.page(url, 'files', [...this.files.keys()], (name) => ({
      name,
      displayName: this.labels.get(name),
      state: 'ACTIVE',
    }));
  }

  private page<T>(url: URL, field: string, all: readonly T[], show: (one: T) => unknown) {
    const from = Number(url.searchParams.get('pageToken') ?? '0');
    const to = from + (this.options.pageSize ?? Number(url.searchParams.get('pageSize') ?? '50'));
    const next = to < all.length ? { nextPageToken: String(to) } : {};
    const items = all.slice(from, to).map(show);
    return { status: 200, body: { ...(items.length === 0 ? {} : { [field]: items }), ...next } };
  }

  private file(method: string, name: string, download: boolean, url: URL): FakeAnswer {
    const content = this.files.get(name);
    if (content === undefined) return NO_FILE;
    if (method === 'DELETE' && !download) {
      this.files.delete(name);
      return { status: 200, body: {} };
    }
    if (method !== 'GET' || !download || url.searchParams.get('alt') !== 'media') {
      return failure(400, 'INVALID_ARGUMENT', 'Only media can be downloaded.');
    }
    return { status: 200, body: content };
  }

  private job(call: string, name: string): FakeAnswer {
    const index = this.jobs.findIndex((job) => job.name === name);
    const job = this.jobs[index];
    if (job === undefined) return NOT_FOUND;
    switch (call) {
      case 'GET':
        return { status: 200, body: this.operation(job) };
      case 'DELETE':
        this.jobs.splice(index, 1);
        return { status: 200, body: {} };
      case 'POST:cancel':
        if (!this.open().includes(job)) {
          return failure(400, 'FAILED_PRECONDITION', 'The batch is not running.');
        }
        job.state = 'CANCELLED';
        return { status: 200, body: {} };
      default:
        return NOT_FOUND;
    }
  }

  /** A google.longrunning.Operation; numbers of 64 bits are text in Google's JSON. */
  private operation(job: GeminiJob): unknown {
    const { states = 'BATCH_STATE_', resultsIn = 'response' } = this.options;
    const done = job.state !== 'PENDING' && job.state !== 'RUNNING';
    const output = job.resultsFile === undefined ? {} : { responsesFile: job.resultsFile };
    const finished = job.state === 'SUCCEEDED';
    const total = String(this.files.has(job.inputFile) ? this.linesOf(job).length : 0);
    // Counts of zero are left out. A running job has embedded its first line.
    const embedded = job.state === 'RUNNING' ? '1' : total;
    const counts =
      finished || job.state === 'RUNNING'
        ? { requestCount: total, successfulRequestCount: embedded }
        : { requestCount: total, pendingRequestCount: total };
    return {
      name: job.name,
      metadata: {
        '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.EmbedContentBatch',
        displayName: job.label,
        model: `models/${job.model}`,
        state: `${states}${job.state}`,
        batchStats: counts,
        inputConfig: { fileName: job.inputFile },
        ...(finished && resultsIn === 'metadata' ? { output } : {}),
      },
      ...(done ? { done } : {}),
      ...(finished && resultsIn === 'response' ? { response: output } : {}),
      ...(job.message === undefined ? {} : { error: { code: 13, message: job.message } }),
    };
  }

  private open(): readonly GeminiJob[] {
    return this.jobs.filter(({ state }) => state === 'PENDING' || state === 'RUNNING');
  }

  private linesOf(job: GeminiJob): readonly { key: string; request: unknown }[] {
    const lines = (this.files.get(job.inputFile) ?? Buffer.alloc(0)).toString('utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => lineSchema.parse(JSON.parse(line)));
  }

  private keep(prefix: string, content: Buffer): string {
    const name = `files/${prefix}${++this.count}`;
    this.files.set(name, content);
    return name;
  }
}

function failure(status: number, name: string, message: string): FakeAnswer {
  return { status, body: { error: { code: status, message, status: name } } };
}

const NOT_FOUND = failure(404, 'NOT_FOUND', 'Requested entity was not found.');

/** Google's answer for a file that is not there as well as for one of somebody else. */
const NO_FILE = failure(
  403,
  'PERMISSION_DENIED',
  'You do not have permission to access the File or it may not exist.',
);
