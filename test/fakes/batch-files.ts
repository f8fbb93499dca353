import {
  type BatchFilesDialect,
  type FakeJob,
  type FakeLine,
  type Fate,
  fateFault,
  type JobFault,
  type LineTrouble,
  readLines,
  resultsOf,
} from './batch-job.js';
import type { FakeAnswer, RecordedRequest } from './fake-vendor.js';

const RUNNING = ['validating', 'in_progress', 'finalizing'] as const;
const COMPLETED: Fate = { ends: 'completed' };

/**
 * The life of files and batch jobs as OpenAI's guide "Batch" and its API reference have it, which
 * Voyage follows. Each time a job is retrieved it moves on by one state.
 */
export class BatchFiles {
  /** Texts that jobs embedded, once for each time they are paid for. */
  readonly paid: string[] = [];
  readonly jobs: FakeJob[] = [];
  readonly files = new Map<string, { readonly name: string; readonly content: string }>();
  /** How the next jobs end, one after the other; all further ones complete. */
  fates: Fate[] = [];
  /** While true, jobs stay as they are. */
  paused = false;
  /** While true, the endpoint has no batch API. */
  absent = false;
  /** The answers to the next so many creations of jobs are cut off, although the job is created. */
  lostAnswers = 0;
  /** The next so many creations of jobs are refused. */
  refusals = 0;
  /** The next so many downloads are cut off. */
  cutDownloads = 0;
  /** Where the content of files is instead, as Voyage's reference of its API expects (`curl -L`). */
  redirectDownloads: string | undefined;
  lineTrouble: (line: FakeLine) => LineTrouble | undefined = () => undefined;
  private readonly dialect: BatchFilesDialect;
  private count = 0;

  constructor(dialect: BatchFilesDialect) {
    this.dialect = dialect;
  }

  /** Called with each request to this part of the API before it is answered. */
  onRequest: (request: RecordedRequest) => void = () => undefined;

  /** Names of all files that are there. */
  get fileNames(): string[] {
    return [...this.files.values()].map(({ name }) => name);
  }

  /** Completes every job, as the vendor does whether or not anybody polls it. */
  finishAll(): void {
    for (const job of this.jobs) {
      while (job.status === 'cancelling' || RUNNING.some((status) => status === job.status)) {
        this.advance(job);
      }
    }
  }

  /** Deletes the results, as the vendor does after some weeks. */
  loseOutputs(): void {
    for (const { outputFile, errorFile } of this.jobs) {
      if (outputFile !== null) this.files.delete(outputFile);
      if (errorFile !== null) this.files.delete(errorFile);
    }
  }

  /** Undefined for what belongs to another part of the vendor's API. */
  async answer(request: RecordedRequest): Promise<FakeAnswer | undefined> {
    const url = new URL(request.path, 'http://fake');
    const [, version, kind, id, verb] = url.pathname.split('/');
    if (version !== 'v1' || (kind !== 'files' && kind !== 'batches')) return undefined;
    this.onRequest(request);
    if (this.absent) return this.dialect.failure(404, 'Invalid URL');
    const route = `${request.method} ${kind}${id === undefined ? '' : '/*'}${verb === undefined ? '' : `/${verb}`}`;
    switch (route) {
      case 'POST files':
        return this.upload(request);
      case 'GET files':
        return this.list(
          url,
          [...this.files.keys()].reverse().map((key) => this.fileObject(key)),
        );
      case 'GET files/*/content':
        return this.download(id ?? '');
      case 'DELETE files/*':
        if (!this.files.delete(id ?? '')) return this.dialect.failure(404, 'No such File object');
        return { status: 200, body: { id, object: 'file', deleted: true } };
      case 'POST batches':
        return this.create(request);
      case 'GET batches':
        return this.list(
          url,
          [...this.jobs].reverse().map((job) => this.jobObject(job)),
        );
      case 'GET batches/*':
        return this.withJob(id, (job) => this.retrieve(job));
      case 'POST batches/*/cancel':
        return this.withJob(id, (job) => this.cancel(job));
      default:
        return this.dialect.failure(404, `Unknown request URL: ${route}`);
    }
  }

  private async upload({ headers, body }: RecordedRequest): Promise<FakeAnswer> {
    if (Number(headers['content-length']) !== body.length) {
      return this.dialect.failure(400, 'the length of the body is not what was announced');
    }
    const type = headers['content-type'] ?? '';
    const form = await new Response(body, { headers: { 'content-type': type } }).formData();
    const file = form.get('file');
    if (form.get('purpose') !== 'batch') return this.dialect.failure(400, 'purpose must be batch');
    if (!(file instanceof File)) return this.dialect.failure(400, 'file is missing');
    const id = this.addFile(file.name, await file.text());
    return { status: 200, body: this.fileObject(id) };
  }

  private create({ body }: RecordedRequest): FakeAnswer {
    if (this.refusals > 0) {
      this.refusals -= 1;
      return this.dialect.failure(403, 'This account may not create batches.');
    }
    const request: unknown = JSON.parse(body.toString('utf8'));
    try {
      this.dialect.checkJob(request);
    } catch (error) {
      return this.dialect.failure(400, String(error));
    }
    const { input_file_id: inputFile, metadata } = request as {
      input_file_id: string;
      metadata?: Record<string, string>;
    };
    if (!this.files.has(inputFile)) return this.dialect.failure(400, 'No such input file');
    const job: FakeJob = {
      id: `batch_${++this.count}`,
      inputFile,
      metadata,
      request,
      fate: this.fates.shift() ?? COMPLETED,
      status: 'validating',
      done: 0,
      lines: [],
      outputFile: null,
      errorFile: null,
      errors: [],
    };
    this.jobs.push(job);
    const lost = this.lostAnswers > 0;
    if (lost) this.lostAnswers -= 1;
    return { status: 200, body: this.jobObject(job), cutOff: lost };
  }

  private retrieve(job: FakeJob): FakeAnswer {
    if (!this.paused) this.advance(job);
    return { status: 200, body: this.jobObject(job) };
  }

  private cancel(job: FakeJob): FakeAnswer {
    if (!RUNNING.some((status) => status === job.status)) {
      return this.dialect.failure(400, `Cannot cancel a batch with status '${job.status}'.`);
    }
    job.status = 'cancelling';
    return { status: 200, body: this.jobObject(job) };
  }

  private advance(job: FakeJob): void {
    const { fate } = job;
    const finished = 'finished' in fate ? fate.finished : 1;
    switch (job.status) {
      case 'validating': {
        const fault = this.read(job);
        job.status = fault === undefined ? 'in_progress' : 'failed';
        if (fault !== undefined) job.errors = [fault];
        return;
      }
      case 'in_progress':
        if (fate.ends === 'completed') job.status = 'finalizing';
        else this.end(job, fate.ends, finished);
        return;
      case 'finalizing':
        this.end(job, 'completed', 1);
        return;
      case 'cancelling':
        this.end(job, 'cancelled', 'finished' in fate ? finished : 0);
        return;
    }
  }

  /** Reads the input of a job; returns what is wrong with it. */
  private read(job: FakeJob): JobFault | undefined {
    const file = this.files.get(job.inputFile);
    if (file === undefined) return { code: 'invalid_file', message: 'It is gone.', line: null };
    return fateFault(job.fate) ?? readLines(job, file.content, this.dialect);
  }

  private end(job: FakeJob, status: string, share: number): void {
    job.done = Math.floor(job.lines.length * share);
    const { output, errors, paid } = resultsOf(job, status, this.dialect, this.lineTrouble);
    this.paid.push(...paid);
    job.status = status;
    job.outputFile = output.length === 0 ? null : this.addFile('output.jsonl', linesOf(output));
    job.errorFile = errors.length === 0 ? null : this.addFile('errors.jsonl', linesOf(errors));
  }

  private download(id: string): FakeAnswer {
    const file = this.files.get(id);
    if (file === undefined) return this.dialect.failure(404, 'No such File object');
    const location = this.redirectDownloads;
    if (location !== undefined) return { status: 302, body: '', headers: { location } };
    const cutOff = this.cutDownloads > 0;
    if (cutOff) this.cutDownloads -= 1;
    return { status: 200, body: file.content, cutOff };
  }

  private withJob(id: string | undefined, work: (job: FakeJob) => FakeAnswer): FakeAnswer {
    const job = this.jobs.find((other) => other.id === id);
    return job === undefined ? this.dialect.failure(404, `No batch found: ${id}`) : work(job);
  }

  private list(url: URL, items: readonly { readonly id: string }[]): FakeAnswer {
    const limit = Number(url.searchParams.get('limit') ?? 20);
    const after = url.searchParams.get('after');
    const start = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
    const data = items.slice(start, start + limit);
    const more = start + limit < items.length;
    const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
    return { status: 200, body: { object: 'list', data, has_more: more, ...ends } };
  }

  private addFile(name: string, content: string): string {
    const id = `file-${++this.count}`;
    this.files.set(id, { name, content });
    return id;
  }

  private fileObject(id: string) {
    const file = this.files.get(id);
    return {
      id,
      object: 'file',
      bytes: Buffer.byteLength(file?.content ?? ''),
      created_at: this.dialect.date(),
      filename: file?.name ?? '',
      purpose: file?.name === 'output.jsonl' ? 'batch_output' : 'batch',
    };
  }

  private jobObject(job: FakeJob) {
    const ended = ['completed', 'expired', 'cancelled'].includes(job.status);
    return {
      id: job.id,
      object: 'batch',
      status: job.status,
      created_at: this.dialect.date(),
      input_file_id: job.inputFile,
      output_file_id: job.outputFile,
      error_file_id: job.errorFile,
      errors: job.errors.length === 0 ? null : { object: 'list', data: job.errors },
      request_counts: { total: job.lines.length, completed: ended ? job.done : 0, failed: 0 },
      metadata: job.metadata ?? null,
    };
  }
}

function linesOf(items: readonly unknown[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}
