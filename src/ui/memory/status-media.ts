import type { BackendStatus } from '../../engine/memory/backends/memory-backend.js';
import type { EmbeddingStatus } from '../../engine/memory/embedding/embedding-status.js';
import { formatCount, formatCountOf } from '../format.js';
import { safeLine } from '../safe-text.js';
import type { Style } from '../style.js';
import type { StatusFact } from './status-embedding.js';

const REFUSED_NAMED = 3;

/** How many images and recordings there are, and why some are found by their names alone. */
export function mediaFacts(
  { index }: BackendStatus,
  { media }: EmbeddingStatus,
  style: Style,
): readonly StatusFact[] {
  if (media === undefined) return [];
  const { images, audio } =
    index.state === 'ready' ? index.statistics.media : { images: 0, audio: 0 };
  const counts = `${formatCountOf(images, 'image')}, ${formatCountOf(audio, 'recording')}`;
  const { obstacle, refused } = media;
  if (obstacle !== undefined) {
    const why = `found by their names alone: ${obstacle.why}`;
    const lines = [counts, why, `→ ${obstacle.mend}`].map(safeLine);
    return [{ label: 'media', lines, prose: true, paint: style.yellow }];
  }
  if (refused.length === 0) return [{ label: 'media', lines: [counts] }];
  const named = refused.slice(0, REFUSED_NAMED).map(({ path, why }) => `${path} (${why})`);
  const rest = refused.length - named.length;
  const names = [...named, ...(rest > 0 ? [`${formatCount(rest)} more`] : [])].join(', ');
  const lines = [counts, `not taken by the provider: ${names}`].map(safeLine);
  return [{ label: 'media', lines, prose: true, paint: style.yellow }];
}
