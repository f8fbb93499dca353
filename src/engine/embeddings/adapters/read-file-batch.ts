import { parsedJson } from '../../parse-json.js';
import { jsonAt, messageIn } from '../http/status-fault.js';
import { readVector } from '../read-vectors.js';
import type { BatchResult, BatchStatus } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';

/** What a job ended with other than its end; its finished part is there. */
const CUT_SHORT = new Set(['cancelled', 'expired']);

/** How far a `Batch` object is. An unknown state counts as running: the time limit of the run ends it. */
export function readStatus(job: unknown): BatchStatus {
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

/** Ids of the files that a job wrote. */
export function outputsOf(job: unknown): string[] {
  return ['output_file_id', 'error_file_id']
    .map((name) => jsonAt(job, name))
    .filter((id) => typeof id === 'string' && id !== '')
    .map(String);
}

/**
 * `{custom_id, response: {status_code, body}, error}`, of the output file and of the error file;
 * undefined for what cannot be read.
 */
export function readLine(line: string): BatchResult | undefined {
  const item = parsedJson(line);
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

/** A text that an answer must have. @throws VendorFault */
export function textAt(value: unknown, name: string): string {
  const text = jsonAt(value, name);
  if (typeof text === 'string' && text !== '') return text;
  throw new VendorFault({ kind: 'answer', message: `the answer is broken: it has no "${name}"` });
}
