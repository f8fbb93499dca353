import { statSync } from 'node:fs';
import type { EmbeddingEvent } from '../../embedding-adapter.js';
import { asProviderError } from '../../provider-error.js';
import type { ProviderSettings } from '../../provider-settings.js';
import { PATIENT, Pacer } from '../../requests/pacer.js';
import { checkModelFile, modelPathOf } from './model-file.js';
import { parseModelReference, type RemoteReference } from './model-reference.js';

/** Which model is wanted, and around what. */
export interface EnsureModelOptions {
  readonly local: Pick<ProviderSettings['local'], 'modelCacheDir' | 'modelPath'>;
  /** `HF_ENDPOINT` and `HF_TOKEN` are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly onEvent: (event: EmbeddingEvent) => void;
  /** Milliseconds on a steady clock. */
  readonly nowMs: () => number;
  readonly random: () => number;
}

/** A model that is on this disk and looks like one. */
export interface EnsuredModel {
  /** The reference, without what may be secret in it, or the name of the file. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly downloaded: boolean;
}

/**
 * Brings the configured model to this disk, if it is not there.
 *
 * @throws SvcError PROVIDER_*; the signal's reason
 */
export async function ensureModel(options: EnsureModelOptions): Promise<EnsuredModel> {
  const { local, signal } = options;
  try {
    const reference = parseModelReference(local.modelPath);
    const downloaded = reference.kind !== 'file' && (await download(reference, options));
    const path = modelPathOf(reference, local.modelCacheDir);
    checkModelFile(path);
    return { name: reference.name, path, bytes: statSync(path).size, downloaded };
  } catch (error) {
    signal.throwIfAborted();
    throw asProviderError(error, {
      provider: 'local',
      model: undefined,
      endpoint: undefined,
      keySource: undefined,
    });
  }
}

async function download(
  reference: RemoteReference,
  { local, env, signal, onEvent, nowMs, random }: EnsureModelOptions,
): Promise<boolean> {
  const { downloadModel } = await import('./download/download-model.js');
  const pacing = new Pacer(nowMs, random).pacing(PATIENT, onEvent);
  const { modelCacheDir } = local;
  const options = { modelCacheDir, env, pacing, signal, onEvent, nowMs };
  return (await downloadModel(reference, options)).downloaded;
}
