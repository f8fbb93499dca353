import { jsonAt } from '../http/status-fault.js';
import { notTwice } from '../requests/pacer.js';
import type { BatchCall, BatchEntry, BatchHandle, BatchResult, VendorBatch } from '../vendor.js';
import { type BatchConnection, FilesApi } from './files-api.js';
import { outputsOf, readLine, readStatus, textAt } from './read-file-batch.js';

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

/**
 * The batch API that OpenAI made common (platform.openai.com, guide "Batch"; API reference "Files"
 * and "Batches"): a file of lines is uploaded, a job works on it, results are a file of lines too.
 */
export function createFileBatch(connection: BatchConnection, dialect: BatchDialect): VendorBatch {
  const api = new FilesApi(connection);
  const uploadInput = (entries: readonly BatchEntry[], label: string, call: BatchCall) =>
    api.upload(inputName(label), call, function* () {
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
      const input = handle['input'];
      // The texts first: they must not stay because the job is gone.
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
  call: BatchCall,
): Promise<BatchHandle | undefined> {
  for await (const job of api.items('/batches', call)) {
    if (jsonAt(job, 'metadata', LABEL) !== label) continue;
    return { batch: textAt(job, 'id'), input: textAt(job, 'input_file_id') };
  }
  const uploaded: string[] = [];
  for await (const file of api.items('/files', call)) {
    if (jsonAt(file, 'filename') === inputName(label)) uploaded.push(textAt(file, 'id'));
  }
  for (const file of uploaded) await api.remove(file, call);
  return undefined;
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
