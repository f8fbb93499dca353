import type { SyncEvent } from '../../engine/memory/sync/index.js';
import {
  formatBytes,
  formatCount,
  formatCountOf,
  formatRate,
  formatShortCount,
} from '../../engine/support/format.js';
import { modelNote } from '../provider/install-words.js';
import { safeLine } from '../safe-text.js';
import { batchDone, type EmbedProgress } from './embed-progress.js';

type ProviderEvent = Extract<SyncEvent, { readonly type: 'embed.provider' }>['event'];

/** The provider and its work so far: `openai · 24 requests`. */
export function embedWorkWords({ provider, requests, batch, download }: EmbedProgress): string {
  const who = safeLine(provider);
  if (download !== undefined) {
    const { bytes, total } = download;
    const part =
      total === undefined ? formatBytes(bytes) : `${Math.floor((bytes / total) * 100)} %`;
    return `downloading the model · ${part}`;
  }
  if (batch !== undefined && batch.ended < batch.jobs) {
    const jobs = `${formatCount(batch.ended)} of ${formatCountOf(batch.jobs, 'job')}`;
    return `${who} · ${jobs}`;
  }
  return requests === 0 ? who : `${who} · ${formatCountOf(requests, 'request')}`;
}

/** Cache hits, tokens, batch jobs and rate limits. */
export function embedDetailWords(progress: EmbedProgress): string {
  const { known, tokens, limit, batch, insteadOf } = progress;
  const parts = [
    insteadOf === undefined ? '' : `instead of ${safeLine(insteadOf)}`,
    known === 0 ? '' : `cache ${formatCountOf(known, 'hit')}`,
    tokens === 0 ? '' : `${formatShortCount(tokens)} tokens`,
    batch === undefined
      ? ''
      : `batch ${formatCount(batchDone(batch))}/${formatCount(batch.inputs)}`,
    limit === undefined ? '' : `429: slowed to ${formatRate(limit.perSecond, 'req')}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** A provider's event as a line; undefined if the progress shows it. */
export function providerEventWords(
  event: ProviderEvent,
  provider: string,
  verbose: boolean,
): string | undefined {
  const who = safeLine(provider);
  switch (event.type) {
    case 'request.finished':
      return undefined;
    case 'rate.limited':
      return `${who} rate limit: slowed to ${formatRate(event.perSecond, 'req')}`;
    case 'request.retried':
      return verbose ? `${who}: retried after "${safeLine(event.why)}"` : undefined;
    case 'model.waiting':
      return `${who}: waiting for another process to download the model`;
    case 'model.download':
      return `${who}: downloading the model: ${modelNote(event)?.text ?? ''}`;
    case 'batch.submitted': {
      const what = event.resumed ? 'resumed a batch job' : 'started a batch job';
      return `${who}: ${what} of ${formatCountOf(event.inputs, 'passage')}`;
    }
    case 'batch.progress':
      return verbose && event.done !== undefined
        ? `${who}: ${formatCount(event.done)} of ${formatCount(event.total)} of a batch job done`
        : undefined;
    case 'batch.ended': {
      const left = event.left === 0 ? '' : `, ${formatCount(event.left)} embedded inline instead`;
      const why = event.why === undefined ? '' : `: ${safeLine(event.why)}`;
      return `${who}: batch job ended with ${formatCountOf(event.embedded, 'vector')}${left}${why}`;
    }
    case 'batch.off':
      return `${who}: batch jobs disabled, embedding the rest inline: ${safeLine(event.why)}`;
    case 'batch.pending': {
      const jobs = formatCountOf(event.jobs, 'batch job');
      return `${who}: ${jobs} in progress with ${formatCountOf(event.inputs, 'passage')}; a later run collects the results`;
    }
  }
}
