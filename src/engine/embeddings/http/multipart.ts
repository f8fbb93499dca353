import { randomUUID } from 'node:crypto';

/** A `multipart/form-data` body (RFC 7578) that is made while it is sent. */
export interface MultipartFile {
  readonly contentType: string;
  /** Of the whole body. */
  readonly bytes: number;
  /** The body from its beginning, in pieces; may be called again for another try. */
  pieces(): Iterable<Buffer>;
}

const PIECE_BYTES = 256 * 1024;

/**
 * A form with plain fields and one file of lines. The lines are made twice, once to be counted and
 * once to be sent, so that a file of hundreds of megabytes never stands in the memory.
 *
 * @param lines gives the same lines each time, without line ends
 */
export function multipartFile(
  fields: Readonly<Record<string, string>>,
  file: { readonly name: string; readonly type: string; readonly lines: () => Iterable<string> },
): MultipartFile {
  const boundary = `svc-${randomUUID()}`;
  const head = [
    ...Object.entries(fields).map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${file.name}"\r\n`,
    `Content-Type: ${file.type}\r\n\r\n`,
  ].join('');
  const tail = `\r\n--${boundary}--\r\n`;
  let bytes = Buffer.byteLength(head) + Buffer.byteLength(tail);
  for (const line of file.lines()) bytes += Buffer.byteLength(line) + 1;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes,
    *pieces() {
      let text = head;
      for (const line of file.lines()) {
        text += `${line}\n`;
        if (text.length < PIECE_BYTES) continue;
        yield Buffer.from(text);
        text = '';
      }
      yield Buffer.from(text + tail);
    },
  };
}
