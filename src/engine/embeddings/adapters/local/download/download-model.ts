import { join } from 'node:path';
import { withProcessLock } from '../../../../process-lock.js';
import type { EmbeddingEvent } from '../../../embedding-adapter.js';
import type { Pacing } from '../../../requests/pacer.js';
import { cacheFileName, type RemoteReference } from '../model-reference.js';
import { downloadFile, type FileDownload, isDownloaded } from './download-file.js';
import { type Hub, hubFile, hubOf } from './hub.js';
import type { DownloadLimits } from './open-download.js';

/** How a model is downloaded. */
export interface DownloadModelOptions {
  /** Absolute; `local.modelCacheDir`. */
  readonly modelCacheDir: string;
  /** `HF_ENDPOINT` and `HF_TOKEN` are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pacing: Pacing;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EmbeddingEvent) => void;
  /** Milliseconds on a steady clock, for the rate. */
  readonly nowMs: () => number;
  readonly limits?: DownloadLimits;
}

const LIMITS: DownloadLimits = { connectMs: 15_000, idleMs: 30_000 };

/** A model that is on this disk. */
export interface DownloadedModel {
  readonly path: string;
  /** False when it was there already. */
  readonly downloaded: boolean;
}

/**
 * Brings a model to this disk, if it is not there. Two processes never download the same one.
 *
 * @throws VendorFault, or the signal's reason; what was downloaded is kept for the next try
 */
export async function downloadModel(
  reference: RemoteReference,
  options: DownloadModelOptions,
): Promise<DownloadedModel> {
  const { modelCacheDir, signal, onEvent } = options;
  const name = cacheFileName(reference);
  const path = join(modelCacheDir, name);
  if (isDownloaded(path)) return { path, downloaded: false };
  const lockFile = join(modelCacheDir, '.locks', name);
  const model = reference.name;
  const onWait = (): void => onEvent({ type: 'model.waiting', model });
  return withProcessLock(lockFile, { signal, onWait }, async () => {
    if (isDownloaded(path)) return { path, downloaded: false };
    const hub = hubOf(options.env);
    const { limits = LIMITS, pacing } = options;
    const source = await sourceOf(reference, hub, { signal, pacing, timeoutMs: limits.idleMs });
    const onProgress = createProgress(model, onEvent, options.nowMs);
    await downloadFile({ ...source, path, limits, pacing, signal, onProgress });
    return { path, downloaded: true };
  });
}

async function sourceOf(
  reference: RemoteReference,
  hub: Hub,
  asking: Parameters<typeof hubFile>[2],
): Promise<Pick<FileDownload, 'expected' | 'secretHeaders' | 'url'>> {
  if (reference.kind === 'hub') {
    return { ...(await hubFile(reference, hub, asking)), secretHeaders: hub.headers };
  }
  const { url } = reference;
  const atHub = new URL(url).origin === new URL(hub.endpoint).origin;
  return { url, expected: {}, secretHeaders: atHub ? hub.headers : {} };
}

const TELL_EVERY_MS = 200;

/** Makes events of single reads: a few in a second, the first and the last among them. */
function createProgress(
  model: string,
  onEvent: (event: EmbeddingEvent) => void,
  nowMs: () => number,
): FileDownload['onProgress'] {
  let begin: { readonly atMs: number; readonly bytes: number } | undefined;
  let told: { readonly atMs: number; readonly bytes: number } | undefined;
  return (bytes, total) => {
    const atMs = nowMs();
    // After a retry fewer bytes may be there than before.
    if (begin === undefined || bytes < begin.bytes) begin = { atMs, bytes };
    const last = bytes === total;
    if (told !== undefined && !last && atMs - told.atMs < TELL_EVERY_MS) return;
    told = { atMs, bytes };
    const seconds = (atMs - begin.atMs) / 1000;
    const bytesPerSecond = seconds === 0 ? undefined : (bytes - begin.bytes) / seconds;
    onEvent({ type: 'model.download', model, bytes, total, bytesPerSecond });
  };
}
