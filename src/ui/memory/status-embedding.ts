import type { BackendStatus } from '../../engine/memory/backends/memory-backend.js';
import type {
  EmbeddingStatus,
  ProviderStatus,
} from '../../engine/memory/embedding/embedding-status.js';
import { formatCount, formatCountOf } from '../format.js';
import { modelWords } from '../provider/words.js';
import { safeLine } from '../safe-text.js';
import type { Paint, Style } from '../style.js';

/** One fact of a status: its label, and what is said of it. */
export interface StatusFact {
  readonly label: string;
  readonly lines: readonly string[];
  /** Explanations may be wrapped; paths and figures may not. */
  readonly prose?: boolean;
  readonly paint?: Paint;
}

/** Who embeds, who stands in, and how much of the index has vectors. */
export function embeddingFacts(
  embedding: EmbeddingStatus,
  status: BackendStatus,
  style: Style,
): readonly StatusFact[] {
  const { primary, fallback, fallbackDone } = embedding;
  if (primary === undefined) {
    const why =
      embedding.missing === 'switched_off'
        ? 'none, as configured: search finds by words alone'
        : 'none: search finds by words alone; svc provider list says what each provider needs';
    return [{ label: 'provider', lines: [why], prose: true }];
  }
  const others =
    fallbackDone > 0 ? `; ${formatCountOf(fallbackDone, 'passage')} have its vectors` : '';
  return [
    {
      label: 'provider',
      lines: [providerLine(primary), reasonLine(primary), ...missingKey(primary)],
      prose: true,
    },
    ...(fallback === undefined
      ? []
      : [{ label: 'fallback', lines: [`${providerLine(fallback)}${others}`], prose: true }]),
    vectorsFact(embedding, status, style),
  ];
}

/** The provider in a table's cell. */
export function providerWords({ primary, mode }: EmbeddingStatus): string {
  if (primary === undefined) return 'words alone';
  const words = safeLine(primary.provider);
  return mode === 'lexical' ? `${words}, no vectors yet` : words;
}

function providerLine({ provider, adapter, model }: ProviderStatus): string {
  const name = provider === adapter ? provider : `${provider} (${adapter})`;
  return safeLine(model === null ? name : `${name} · ${modelWords(model)}`);
}

function reasonLine({ reason }: ProviderStatus): string {
  const why =
    reason.kind === 'setting' ? `memorySearch.${reason.key}` : `auto-detected by ${reason.sign}`;
  return safeLine(`by ${why}; not asked here, --deep tries it`.replace(/^by auto/u, 'auto'));
}

/** What is known without asking anybody: that there is no key to ask with. */
function missingKey({ credential: { state, source, set, mend } }: ProviderStatus): string[] {
  if (state === 'missing') return [safeLine(`no key: ${mend ?? ''}`)];
  return set === false ? [safeLine(`no key: ${source ?? ''} is not set`)] : [];
}

function vectorsFact(
  { coverage }: EmbeddingStatus,
  { index }: BackendStatus,
  style: Style,
): StatusFact {
  const { state, done, all, dimensions, refused, cached, differences } = coverage;
  const asides = [
    refused === 0 ? '' : ` · ${formatCount(refused)} refused by the provider`,
    cached === 0 ? '' : ` · ${formatCount(cached)} cached`,
  ];
  const kept = asides.join('');
  const fact = (lines: readonly string[], paint: Paint): StatusFact => ({
    label: 'vectors',
    lines: lines.map(safeLine),
    prose: true,
    paint,
  });
  if (index.state !== 'ready') return fact(['none: there is no index yet'], style.yellow);
  const size = dimensions === null ? '' : ` · ${formatCount(dimensions)} dimensions`;
  switch (state) {
    case 'whole':
      return fact(
        [
          `${refused === 0 ? 'all' : formatCount(done)} of ${formatCountOf(all, 'passage')}${size}${kept}`,
        ],
        style.green,
      );
    case 'partial': {
      const pending = `${formatCount(all - done - refused)} pending: svc memory index embeds them`;
      return fact(
        [`${formatCount(done)} of ${formatCountOf(all, 'passage')}${size}${kept}`, pending],
        style.yellow,
      );
    }
    case 'other':
      return fact(
        [
          `of another identity: ${formatCountOf(all, 'passage')} pending, svc memory index embeds them anew`,
          ...differences,
        ],
        style.yellow,
      );
    case 'empty':
      return all === 0
        ? fact(['none: there are no passages'], style.dim)
        : fact(
            [
              `none yet: ${formatCountOf(all, 'passage')} pending, svc memory index embeds them${kept}`,
            ],
            style.yellow,
          );
  }
}
