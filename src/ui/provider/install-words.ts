import type { EmbeddingEvent } from '../../engine/embeddings/embedding-adapter.js';
import type { InstallEvent } from '../../engine/embeddings/local-runtime/install-runtime.js';
import { formatBytes, formatDuration, formatEta } from '../format.js';
import { safeLine } from '../safe-text.js';

/** A state of long work: `key` changes with the kind of it, `text` as it goes on. */
export interface WorkNote {
  readonly key: string;
  readonly text: string;
}

/** What an installation is doing. @param elapsedMs since its begin */
export function installNote(event: InstallEvent, elapsedMs: number): WorkNote {
  switch (event.type) {
    case 'install.waiting':
      return { key: 'waiting', text: 'waiting for another process that installs it' };
    case 'install.started':
      return { key: 'npm', text: `npm fetches node-llama-cpp ${event.version}` };
    case 'install.grew': {
      const grown = event.bytes < 1e6 ? '' : `${formatBytes(event.bytes)}, `;
      return {
        key: 'npm',
        text: `npm fetches node-llama-cpp: ${grown}${formatDuration(elapsedMs)}`,
      };
    }
    case 'install.checking':
      return { key: 'checking', text: 'loading it once' };
  }
}

/** What the download of a model is doing; undefined for events of other work. */
export function modelNote(event: EmbeddingEvent): WorkNote | undefined {
  switch (event.type) {
    case 'model.waiting':
      return { key: 'waiting', text: 'waiting for another process that downloads it' };
    case 'model.download':
      return { key: `download ${tenth(event)}`, text: downloadText(event) };
    case 'request.retried':
      return {
        key: `retry ${event.why}`,
        text: `${safeLine(event.why)}; again in ${formatDuration(event.waitMs)}`,
      };
    case 'rate.limited':
      return { key: 'rate', text: `asked to wait ${formatDuration(event.waitMs)}` };
    default:
      return undefined;
  }
}

type Download = Extract<EmbeddingEvent, { readonly type: 'model.download' }>;

/** So that plain lines come for each tenth. */
function tenth({ bytes, total }: Download): number {
  return total === undefined || total === 0 ? 0 : Math.floor((bytes / total) * 10);
}

function downloadText({ bytes, total, bytesPerSecond }: Download): string {
  if (total === undefined) return `${formatBytes(bytes)}${rate(bytesPerSecond)}`;
  const percent = `${Math.floor((bytes / total) * 100)} %`;
  const left =
    bytesPerSecond === undefined || bytesPerSecond === 0
      ? ''
      : `, ${formatEta(((total - bytes) / bytesPerSecond) * 1000)} left`;
  return `${percent} of ${formatBytes(total)}${rate(bytesPerSecond)}${left}`;
}

function rate(bytesPerSecond: number | undefined): string {
  return bytesPerSecond === undefined ? '' : `, ${formatBytes(bytesPerSecond)}/s`;
}
