import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, renameSync, statSync } from 'node:fs';
import { type FileHandle, open, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { messageOf, systemErrorCode } from '../../../../errors/index.js';
import { syncToDisk } from '../../../../sync-to-disk.js';
import { type Pacing, withRetries } from '../../../requests/pacer.js';
import { VendorFault } from '../../../vendor-fault.js';
import { beginsLikeGguf } from '../model-file.js';
import {
  type DownloadLimits,
  type LinkedFile,
  type OpenedDownload,
  openDownload,
} from './open-download.js';
import { contentRange, PartFile, validatorOf } from './part-file.js';

/** A GGUF file to download. */
export interface FileDownload {
  readonly url: string;
  /** Where it will lie, absolute; appears there complete and checked, or not at all. */
  readonly path: string;
  /** Sent to the host of `url` alone. */
  readonly secretHeaders: Readonly<Record<string, string>>;
  /** As its host lists it, where that is known beforehand. */
  readonly expected: LinkedFile;
  readonly limits: DownloadLimits;
  readonly pacing: Pacing;
  readonly signal: AbortSignal;
  /** `total` is undefined where the host does not say it. */
  readonly onProgress: (bytes: number, total: number | undefined) => void;
}

/**
 * Downloads a file, from where an earlier try ended if its host still has the same one, and checks
 * its length, its beginning and, where the host tells it, its SHA-256.
 *
 * @throws VendorFault, or the signal's reason; what was downloaded is kept for the next try
 */
export async function downloadFile(download: FileDownload): Promise<void> {
  const part = new PartFile(download.path, download.url);
  try {
    mkdirSync(dirname(download.path), { recursive: true, mode: 0o700 });
    await withRetries(
      download.pacing,
      download.signal,
      () => transfer(download, part),
      (error) => (error instanceof VendorFault ? error : undefined),
    );
    await checkHash(part, download);
    syncToDisk(part.path);
    renameSync(part.path, download.path);
    part.forgetOrigin();
  } catch (error) {
    download.signal.throwIfAborted();
    throw asDiskFault(error, download.path);
  }
}

/** Gets what is missing of the part. @throws VendorFault */
async function transfer(download: FileDownload, part: PartFile): Promise<void> {
  const origin = part.origin();
  if (origin?.bytes !== undefined && origin.bytes === part.size()) return;
  const { url, secretHeaders, limits, signal } = download;
  const rangeHeaders = (linked: LinkedFile) =>
    part.rangeHeaders({ ...download.expected, ...linked });
  const opened = await openDownload({ url, secretHeaders, rangeHeaders, limits, signal });
  try {
    await write(opened, download, part);
  } finally {
    opened.close();
  }
}

async function write(
  opened: OpenedDownload,
  download: FileDownload,
  part: PartFile,
): Promise<void> {
  const { status, headers } = opened;
  const linked = { ...download.expected, ...opened.linked };
  const range = status === 206 ? contentRange(headers) : undefined;
  const resumed = range?.first === part.size();
  if (status !== 200 && !resumed) {
    part.discard();
    throw new VendorFault({ kind: 'network', message: 'the host no longer has the same file' });
  }
  const total =
    (status === 200 ? lengthOf(headers['content-length']) : range?.total) ?? linked.bytes;
  if (!resumed) {
    part.begin({
      validator: validatorOf(headers),
      sha256: linked.sha256,
      bytes: total,
    });
  }
  let bytes = part.size();
  await checkSpace(download.path, (total ?? 0) - bytes);
  const file = await open(part.path, 'a');
  try {
    download.onProgress(bytes, total);
    let head: Buffer | undefined = bytes === 0 ? Buffer.alloc(0) : undefined;
    for await (const chunk of opened.body) {
      head = checkHead(head, chunk, download);
      await writeAll(file, chunk);
      bytes += chunk.length;
      download.onProgress(bytes, total);
    }
  } finally {
    await file.close();
  }
  if (bytes === total || (total === undefined && bytes > 0)) return;
  if (total !== undefined && bytes > total) part.discard();
  throw new VendorFault({
    kind: 'network',
    message: `the download ended after ${bytes} of ${total ?? '?'} bytes`,
    hint: 'try again; what was downloaded is kept',
  });
}

/**
 * A page that asks to sign in, or an error in disguise, is told by its first bytes, not after the
 * whole of it. @returns the first bytes while they are too few, else undefined
 */
function checkHead(
  head: Buffer | undefined,
  chunk: Buffer,
  { url }: FileDownload,
): Buffer | undefined {
  if (head === undefined) return undefined;
  const begin = Buffer.concat([head, chunk.subarray(0, 4)]);
  const fits = beginsLikeGguf(begin);
  if (fits === false) {
    throw new VendorFault({
      kind: 'answer',
      message: `${new URL(url).host} serves something that is no GGUF file`,
      hint: 'check memorySearch.local.modelPath, and whether a proxy or a sign-in page answers instead',
    });
  }
  return fits === undefined ? begin : undefined;
}

async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let from = 0; from < chunk.length; ) {
    from += (await file.write(chunk, from)).bytesWritten;
  }
}

async function checkSpace(path: string, missing: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize >= missing) return;
  throw diskFull(`${megabytes(missing)} are missing of it, ${megabytes(bavail * bsize)} are free`);
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

async function checkHash(part: PartFile, { signal, url }: FileDownload): Promise<void> {
  const sha256 = part.origin()?.sha256;
  if (sha256 === undefined) return;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(part.path, { signal, highWaterMark: 1 << 20 })) {
    hash.update(chunk);
  }
  if (hash.digest('hex') === sha256) return;
  part.discard();
  throw new VendorFault({
    kind: 'answer',
    message: `what ${new URL(url).host} sent is not the file it lists: its SHA-256 differs`,
    hint: 'try again; it was thrown away',
  });
}

function lengthOf(header: string | readonly string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d+$/u.test(header) ? Number(header) : undefined;
}

/** Names what the file system refuses as a fault. */
function asDiskFault(error: unknown, path: string): unknown {
  const code = systemErrorCode(error);
  if (error instanceof VendorFault || code === undefined) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(messageOf(error));
  return new VendorFault(
    {
      kind: 'setup',
      code,
      message: `the model cannot be written to ${path}: ${messageOf(error)}`,
      hint: 'check the permissions of this folder, or choose another with memorySearch.local.modelCacheDir',
    },
    { cause: error },
  );
}

function diskFull(what: string): VendorFault {
  return new VendorFault({
    kind: 'setup',
    message: `the disk is too full for the model: ${what}`,
    hint: 'free some space, or choose another folder with memorySearch.local.modelCacheDir',
  });
}

/** Whether the file is there already. */
export function isDownloaded(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
