import type { FakeAnswer } from './fake-vendor.js';

/** What becomes of a job. `finished` is the share of its lines that is done, from 0 to 1. */
export type Fate =
  | { readonly ends: 'completed' | 'queue_full' | 'rejected' }
  | { readonly ends: 'cancelled' | 'expired'; readonly finished: number };

/** What becomes of one line. */
export type LineTrouble = 'missing' | 'no_response' | 'not_finite' | 'refused';

/** A job at the fake. */
export interface FakeJob {
  readonly id: string;
  readonly inputFile: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  /** All of what was sent to create it. */
  readonly request: unknown;
  readonly fate: Fate;
  status: string;
  /** Lines that are done. */
  done: number;
  lines: readonly FakeLine[];
  outputFile: string | null;
  errorFile: string | null;
  errors: readonly {
    readonly code: string;
    readonly message: string;
    readonly line: number | null;
  }[];
}

/** Why a job is not worked on. */
export interface JobFault {
  readonly code: string;
  readonly message: string;
  readonly line: number | null;
}

/** A line of an input file. */
export interface FakeLine {
  readonly id: string;
  readonly text: string;
  /** Where lines name one: all lines of a file must name the same. */
  readonly model?: string;
}

/** How the APIs of the vendors differ. The checks throw at what the vendor refuses. */
export interface BatchFilesDialect {
  readonly failure: (status: number, message: string) => FakeAnswer;
  readonly maxLines: number;
  /** Checks `POST /batches`. */
  readonly checkJob: (body: unknown) => void;
  /** Checks a line of an input file. */
  readonly readLine: (json: unknown, job: unknown) => FakeLine;
  /** Dates: seconds since the epoch or text. */
  readonly date: () => number | string;
  readonly embedded: (line: FakeLine, job: FakeJob, broken: boolean) => unknown;
  readonly refused: (line: FakeLine, job: FakeJob) => unknown;
  readonly withoutAnswer: (line: FakeLine, job: FakeJob, code: string) => unknown;
}

/** The fault that the fate of a job asks for. */
export function fateFault({ ends }: Fate): JobFault | undefined {
  if (ends === 'rejected') return { code: 'invalid_request', message: 'Not this time.', line: 1 };
  if (ends !== 'queue_full') return undefined;
  const message = 'Enqueued token limit reached. Limit: 9 enqueued tokens.';
  return { code: 'token_limit_exceeded', message, line: null };
}

/** Puts the lines of its input file into a job; returns what is wrong with them. */
export function readLines(
  job: FakeJob,
  content: string,
  dialect: BatchFilesDialect,
): JobFault | undefined {
  const texts = content.split('\n').filter((line) => line !== '');
  try {
    job.lines = texts.map((line) => dialect.readLine(JSON.parse(line), job.request));
  } catch (error) {
    return { code: 'invalid_json_line', message: String(error), line: 1 };
  }
  if (new Set(job.lines.map(({ id }) => id)).size !== job.lines.length) {
    return { code: 'duplicate_custom_id', message: 'A custom_id is not unique.', line: 1 };
  }
  if (new Set(job.lines.map(({ model }) => model)).size > 1) {
    return { code: 'mismatched_model', message: 'All lines must have the same model.', line: 1 };
  }
  if (texts.length > 0 && texts.length <= dialect.maxLines) return undefined;
  return { code: 'invalid_file', message: 'The file has too many lines, or none.', line: null };
}

/** The lines of a job's result files. Vendors promise no order, so it is not that of the input. */
export function resultsOf(
  job: FakeJob,
  status: string,
  dialect: BatchFilesDialect,
  lineTrouble: (line: FakeLine) => LineTrouble | undefined,
): { readonly output: unknown[]; readonly errors: unknown[]; readonly paid: string[] } {
  const [output, errors, paid]: [unknown[], unknown[], string[]] = [[], [], []];
  for (const line of job.lines.slice(job.done)) {
    if (status !== 'cancelled') errors.push(dialect.withoutAnswer(line, job, 'batch_expired'));
  }
  for (const line of job.lines.slice(0, job.done).reverse()) {
    const trouble = lineTrouble(line);
    if (trouble === 'refused') errors.push(dialect.refused(line, job));
    else if (trouble === 'no_response') {
      errors.push(dialect.withoutAnswer(line, job, 'server_error'));
    } else {
      paid.push(line.text);
      if (trouble !== 'missing') output.push(dialect.embedded(line, job, trouble === 'not_finite'));
    }
  }
  return { output, errors, paid };
}
