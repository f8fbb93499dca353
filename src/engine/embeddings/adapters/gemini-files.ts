import { parseAnswer } from '../http/parse-answer.js';
import { jsonAt } from '../http/status-fault.js';
import { broken } from '../read-vectors.js';
import type { BatchCall } from '../vendor.js';
import { VendorFault } from '../vendor-fault.js';
import type { GeminiConnection } from './gemini-connection.js';

/*
 * Google's Files API, as far as batches need it (ai.google.dev, "Files API" and "Batch API").
 * Files are named `files/ID` and vanish by themselves after 48 hours.
 */

/**
 * Uploads lines of JSON by the resumable protocol: one request opens the upload and names the
 * address for the bytes, a second one sends them.
 *
 * @returns the file's name
 * @throws VendorFault
 */
export async function uploadGeminiFile(
  connection: GeminiConnection,
  bytes: Buffer,
  label: string,
  call: BatchCall,
): Promise<string> {
  const opened = await connection.send({
    ...call,
    method: 'POST',
    url: connection.fileUrl('upload', 'files'),
    headers: {
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(bytes.length),
      'x-goog-upload-header-content-type': 'application/jsonl',
    },
    json: { file: { displayName: label } },
  });
  const address = opened.headers['x-goog-upload-url'];
  if (typeof address !== 'string' || !URL.canParse(address)) {
    throw broken('it names no address for the upload');
  }
  const uploaded = await connection.send({
    ...call,
    method: 'POST',
    url: address,
    headers: { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' },
    body: bytes,
  });
  const name = jsonAt(parseAnswer(uploaded), 'file', 'name');
  if (typeof name !== 'string') throw broken('it names no uploaded file');
  return name;
}

/** The bytes of a file that a batch made. @throws VendorFault */
export async function downloadGeminiFile(
  connection: GeminiConnection,
  name: string,
  call: BatchCall,
): Promise<Buffer> {
  const url = connection.fileUrl('download', `${name}:download?alt=media`);
  return (await connection.send({ ...call, method: 'GET', url })).body;
}

/** Deletes a file or a batch by its name; what is gone already is no fault. @throws VendorFault */
export async function deleteGemini(
  connection: GeminiConnection,
  name: string,
  call: BatchCall,
): Promise<void> {
  try {
    await connection.send({ ...call, method: 'DELETE', url: `${connection.endpoint}/${name}` });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** A file that is not there is answered with 403, in words that leave open which of the two it is. */
function isGone(error: unknown): boolean {
  if (!(error instanceof VendorFault)) return false;
  const { status, code } = error.details;
  return status === 404 || (status === 403 && code === 'PERMISSION_DENIED');
}
