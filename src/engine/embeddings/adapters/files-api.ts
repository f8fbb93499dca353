import { downloadLines } from '../http/download-lines.js';
import { type ExplainStatus, type HttpRequest, sendRequest } from '../http/http-client.js';
import { multipartFile } from '../http/multipart.js';
import { parseAnswer } from '../http/parse-answer.js';
import { jsonAt } from '../http/status-fault.js';
import { UNPACED, withRetries } from '../requests/pacer.js';
import type { BatchCall } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import { textAt } from './read-file-batch.js';

/** Where a files and batches API is, and how it is spoken to. */
export interface BatchConnection {
  /** Base URL, without a slash at the end. */
  readonly endpoint: string;
  /** With the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly explain: ExplainStatus;
}

/** Items of one page of a list; OpenAI's most for jobs. */
const PAGE = 100;
/** An upload may be slow: this much of it must pass in a millisecond. */
const UPLOAD_BYTES_PER_MS = 50;

/** The requests of a files and batches API, to one connection. */
export class FilesApi {
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
    for (let last: string | undefined; ; ) {
      const after = last === undefined ? '' : `&after=${encodeURIComponent(last)}`;
      const page = await this.json('GET', `${path}?limit=${PAGE}${after}`, call);
      const data = jsonAt(page, 'data');
      if (!Array.isArray(data)) return;
      yield* data;
      const next = jsonAt(data.at(-1), 'id');
      // A server that does not know `after` would give its first page for ever.
      if (jsonAt(page, 'has_more') !== true || typeof next !== 'string' || next === last) return;
      last = next;
    }
  }

  private request(path: string, call: BatchCall): Omit<HttpRequest, 'method'> {
    const { endpoint, headers } = this.connection;
    return { ...call, url: `${endpoint}${path}`, headers };
  }
}

function isGone(error: unknown): boolean {
  return error instanceof VendorFault && error.details.status === 404;
}
