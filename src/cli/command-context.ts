import type { SecretMask } from '../engine/masking/index.js';
import type { EngineContext } from '../engine/support/context.js';
import type { View } from '../ui/style.js';
import type { TerminalSupport } from './terminal.js';

/** How a command works and shows its work. Home passes its own to the screens that it opens. */
export interface CommandContext {
  readonly context: EngineContext;
  /** The file named by `--config`. */
  readonly configFile: string | undefined;
  readonly terminal: TerminalSupport;
  readonly view: View;
  /** Applied before lines are cut: half a secret would not be recognized. */
  readonly mask: SecretMask;
  readonly signal: AbortSignal;
  /** The user asked to stop: the first time aborts the signal, the second exits at once. */
  readonly onInterrupt: () => void;
  /** Writes to stdout; nothing in JSON mode. */
  readonly write: (text: string) => void;
  /** Shows a path, possibly with a line, that no program was found to open. */
  readonly showLocation: (location: string) => void;
  readonly json: boolean;
  /** No screen, no progress, no summary. */
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** The same with its hint as it is shown. */
export function withShownHint<T extends { readonly hint?: string | null | undefined }>(
  item: T,
  { hintFor }: Pick<View, 'hintFor'>,
): T {
  return item.hint ? { ...item, hint: hintFor(item.hint) } : item;
}

/** The same for several; see {@link withShownHint}. */
export function withShownHints<T extends { readonly hint?: string | null | undefined }>(
  items: readonly T[],
  view: Pick<View, 'hintFor'>,
): readonly T[] {
  return items.map((item) => withShownHint(item, view));
}
